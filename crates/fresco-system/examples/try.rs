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
    let threads = std::env::var("T").ok().map_or(2, |t| t.parse().unwrap());
    let r = match fresco_system::run_all(&s, threads, &|_| {}) {
        Ok(r) => r,
        Err(e) => {
            eprintln!("{e}");
            std::process::exit(1)
        }
    };
    eprintln!("run {:?}", t.elapsed());
    for p in &r.points {
        println!("-- {:?}", p.values);
        for t in &p.tasks {
            let l = &t.reads.latency;
            let a = &t.reads.anatomy;
            let row = t.reads.rows;
            println!(
                "{:14} acc {:7.2} +-{:.2} ipc {:.3} slow {:.3} n {:7} lat {:.1}+-{:.1} p99 {:.0} max {:.0} | path {:.1} rem {:.1} q {:.1} bank {:.1} bus {:.1} ref {:.1} svc {:.1} join {:.1} | h/m/c/f {}/{}/{}/{} bw {:.2} alloc {:.0}",
                t.name,
                t.access_time_ns.mean,
                t.access_time_ns.stddev,
                t.ipc.mean,
                t.slowdown.map_or(f64::NAN, |s| s.mean),
                t.reads.count,
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
                a.joined_ns,
                row.hits,
                row.misses,
                row.conflicts,
                row.forwarded,
                t.bandwidth.mean / 1e9,
                p.runs[0]
                    .tasks
                    .iter()
                    .find(|x| x.name == t.name)
                    .unwrap()
                    .pages
                    .allocation_ns
            );
        }
        if std::env::var("L").is_ok() {
            for x in &p.runs[0].tasks {
                println!("   {} banks {} {:?} pages {:?}", x.name, x.banks, x.caches, x.pages);
            }
        }
        if std::env::var("C").is_ok() {
            for c in &p.runs[0].controllers {
                println!(
                    "   ctl {} r {} w {} util {:.3} rq {:.2}/{} wq {:.2}/{} rows {:?} act {} ref {}",
                    c.node,
                    c.reads,
                    c.writes,
                    c.bus_utilisation,
                    c.read_queue_mean,
                    c.read_queue_max,
                    c.write_queue_mean,
                    c.write_queue_max,
                    c.rows,
                    c.activations,
                    c.refreshes
                );
            }
        }
    }
}
