use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let t = Instant::now();
    let s = match fresco_system::Scenario::load(&args[0], &args[1..]) {
        Ok(s) => s,
        Err(e) => {
            eprintln!("{e}");
            std::process::exit(2)
        }
    };
    eprintln!("load {:?}", t.elapsed());
    for spec in s.runs() {
        let t = Instant::now();
        match fresco_system::run(&spec) {
            Ok(r) => {
                for x in &r.tasks {
                    let l = &x.reads.latency;
                    let a = &x.reads.anatomy;
                    println!(
                        "pt {} {:12} ipc {:.3} acc {:.1}ns reads {} lat {:.1}+-{:.1} p99 {:.1} max {:.1} | path {:.1} rem {:.1} q {:.1} bank {:.1} bus {:.1} ref {:.1} svc {:.1} | rows {:?} fault {} alloc {:.0}ns bw {:.2} GB/s",
                        r.point,
                        x.name,
                        x.ipc,
                        x.access_time_ns,
                        x.reads.count,
                        l.mean_ns,
                        l.stddev_ns,
                        l.p99_ns,
                        l.max_ns,
                        a.path_ns,
                        a.remote_ns,
                        a.queue_ns,
                        a.bank_ns,
                        a.bus_ns,
                        a.refresh_ns,
                        a.service_ns,
                        x.reads.rows,
                        x.pages.faults,
                        x.pages.allocation_ns,
                        x.bandwidth / 1e9
                    );
                }
            }
            Err(e) => println!("{e}"),
        }
        eprintln!("  {:?}", t.elapsed());
    }
}
