// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where metrics go: into a file that is replaced whole, or to whoever asks at a socket.
//!
//! One request at a time is answered, by hand: a server of HTTP would bring threads for a GET every quarter of a minute.

use crate::stop::Stop;
use fresco_input::{InputError, check_writable, write_atomically};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs;
use std::io::{self, Read, Write};
use std::net::{TcpListener, ToSocketAddrs};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What `--openmetrics` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file.
    File(PathBuf),
    /// A socket of the file system.
    Unix(PathBuf),
    /// Address and port.
    Tcp(String),
}

/// A request longer than that is refused.
const MOST_REQUEST: usize = 8192;
/// Who takes longer to ask or to listen is left.
const PATIENCE: Duration = Duration::from_secs(2);
/// So soon an end that was asked for is noticed, if the signal came between two waits.
const TURN: Duration = Duration::from_millis(500);
const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Reads FILE, `unix:PATH` or `tcp:ADDRESS:PORT`.
///
/// # Errors
/// An address without a port, or an empty name.
pub fn target(word: &str) -> Result<Target, InputError> {
    let wrong = |help: &str| {
        InputError::new("--openmetrics", format!("found {word:?}"))
            .allowed("FILE, unix:PATH or tcp:ADDRESS:PORT")
            .help(help)
    };
    match word.split_once(':') {
        Some(("unix" | "tcp", "")) | None if word.is_empty() || word.ends_with(':') => {
            Err(wrong("name the file, the socket, or address and port"))
        }
        Some(("unix", path)) => Ok(Target::Unix(path.into())),
        Some(("tcp", address)) => match address.rsplit_once(':').map(|(host, port)| (host, port.parse::<u16>())) {
            Some((host, Ok(_))) if !host.is_empty() => Ok(Target::Tcp(address.to_owned())),
            _ => Err(wrong("write address and port, such as tcp:127.0.0.1:9101")),
        },
        _ => Ok(Target::File(word.into())),
    }
}

impl Target {
    /// Returns true if somebody has to ask for what goes there.
    pub fn is_socket(&self) -> bool {
        !matches!(self, Self::File(_))
    }

    /// Opens it.
    ///
    /// # Errors
    /// A file that cannot be written, a socket that cannot be made or is used by another program.
    pub fn open(&self) -> Result<Place, InputError> {
        let told = |name: String, error: &io::Error| {
            InputError::new("--openmetrics", format!("cannot listen at {name}: {error}"))
                .allowed("a socket that this program may make")
                .help("name another one, or end the program that has it")
        };
        match self {
            Self::File(path) => check_writable(path).map(|()| Place::File(path.clone())),
            Self::Unix(path) => {
                remove_stale(path);
                let listener = UnixListener::bind(path).map_err(|error| told(path.display().to_string(), &error))?;
                Ok(Place::Unix(listener, path.clone()))
            }
            Self::Tcp(address) => {
                let listener = address
                    .to_socket_addrs()
                    .and_then(|addresses| TcpListener::bind(addresses.collect::<Vec<_>>().as_slice()));
                listener.map(Place::Tcp).map_err(|error| told(address.clone(), &error))
            }
        }
    }
}

/// A socket that nobody listens at any more is in the way of the next one.
fn remove_stale(path: &Path) {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    if is_socket && UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
        // If it cannot be removed, binding says so.
        let _ = fs::remove_file(path);
    }
}

/// An open target.
#[derive(Debug)]
pub enum Place {
    /// A file.
    File(PathBuf),
    /// A socket, and its name, which goes with it.
    Unix(UnixListener, PathBuf),
    /// A port.
    Tcp(TcpListener),
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Self::Unix(_, path) = self {
            let _ = fs::remove_file(path);
        }
    }
}

impl Place {
    /// Puts the text into the file; at a socket somebody has to ask for it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(&self, text: &str) -> Result<(), InputError> {
        match self {
            Self::File(path) => write_atomically(path, text.as_bytes()),
            Self::Unix(..) | Self::Tcp(_) => Ok(()),
        }
    }

    /// Waits so long, or for ever, or until an end is asked for, and answers who asks meanwhile by `text`.
    ///
    /// # Errors
    /// What `text` fails with.
    pub fn wait<E>(
        &self,
        length: Option<Duration>,
        stop: &Stop,
        mut text: impl FnMut() -> Result<String, E>,
    ) -> Result<(), E> {
        let end = length.map(|length| Instant::now() + length);
        while !stop.is_asked() {
            let left = end.map_or(TURN, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            let turn = left.min(TURN);
            match self {
                Self::File(_) => std::thread::sleep(turn),
                Self::Unix(listener, _) if is_asked(listener, turn) => {
                    if let Ok((stream, _)) = listener.accept() {
                        let timed = stream
                            .set_read_timeout(Some(PATIENCE))
                            .and(stream.set_write_timeout(Some(PATIENCE)));
                        answer(timed.map(|()| stream), &mut text)?;
                    }
                }
                Self::Tcp(listener) if is_asked(listener, turn) => {
                    if let Ok((stream, _)) = listener.accept() {
                        let timed = stream
                            .set_read_timeout(Some(PATIENCE))
                            .and(stream.set_write_timeout(Some(PATIENCE)));
                        answer(timed.map(|()| stream), &mut text)?;
                    }
                }
                Self::Unix(..) | Self::Tcp(_) => {}
            }
        }
        Ok(())
    }
}

/// Waits until somebody asks at the socket.
fn is_asked(listener: &impl AsFd, turn: Duration) -> bool {
    let mut asked = [PollFd::new(listener, PollFlags::IN)];
    let turn = Timespec::try_from(turn).ok();
    poll(&mut asked, turn.as_ref()).is_ok_and(|count| count > 0)
}

/// Answers one request. That it cannot be read or answered concerns who asked.
fn answer<E>(stream: io::Result<impl Read + Write>, text: &mut impl FnMut() -> Result<String, E>) -> Result<(), E> {
    let Ok(mut stream) = stream else { return Ok(()) };
    let Ok(Some(request)) = head(&mut stream) else {
        return Ok(());
    };
    let mut words = request.split_ascii_whitespace();
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (status, kind, body) = match (method, path.split('?').next().unwrap_or_default()) {
        ("GET" | "HEAD", "/metrics") => ("200 OK", TYPE, text()?),
        ("GET" | "HEAD", _) => ("404 Not Found", "text/plain", "Metrics are at /metrics.\n".to_owned()),
        _ => (
            "405 Method Not Allowed",
            "text/plain",
            "GET /metrics is answered.\n".to_owned(),
        ),
    };
    let mut reply = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    if method != "HEAD" {
        reply += &body;
    }
    let _ = stream.write_all(reply.as_bytes()).and_then(|()| stream.flush());
    Ok(())
}

/// The lines of a request before its body; `None` if it is none.
fn head(stream: &mut impl Read) -> io::Result<Option<String>> {
    let (mut bytes, mut buffer, begun) = (Vec::new(), [0; 1024], Instant::now());
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        let length = stream.read(&mut buffer)?;
        bytes.extend_from_slice(&buffer[..length]);
        if length == 0 || bytes.len() > MOST_REQUEST || begun.elapsed() > PATIENCE {
            return Ok(None);
        }
    }
    Ok(String::from_utf8(bytes).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        assert_eq!(target("a/fresco.prom"), Ok(Target::File("a/fresco.prom".into())));
        assert_eq!(target("./odd:name"), Ok(Target::File("./odd:name".into())));
        assert_eq!(
            target("unix:/run/fresco.sock"),
            Ok(Target::Unix("/run/fresco.sock".into()))
        );
        assert_eq!(
            target("tcp:127.0.0.1:9101"),
            Ok(Target::Tcp("127.0.0.1:9101".to_owned()))
        );
        assert_eq!(target("tcp:[::1]:9101"), Ok(Target::Tcp("[::1]:9101".to_owned())));
        for word in [
            "",
            "unix:",
            "tcp:",
            "tcp:9101",
            "tcp:localhost",
            "tcp:localhost:65536",
            "tcp::9101",
        ] {
            assert!(target(word).is_err(), "{word}");
        }
    }

    /// A stream with a request to be read, and room for the answer.
    struct Wire<'a>(&'a [u8], Vec<u8>);

    impl Read for Wire<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            // As a slow sender's: a byte at a time.
            let length = buffer.len().min(1);
            self.0.read(&mut buffer[..length])
        }
    }

    impl Write for Wire<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn told(request: &[u8]) -> String {
        let mut wire = Wire(request, Vec::new());
        let mut text = || Ok::<_, io::Error>("# EOF\n".to_owned());
        answer(Ok(&mut wire), &mut text).expect("is made");
        String::from_utf8(wire.1).expect("UTF-8")
    }

    #[test]
    fn requests_are_answered() {
        let whole = told(b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
        let expected =
            format!("HTTP/1.1 200 OK\r\nContent-Type: {TYPE}\r\nContent-Length: 6\r\nConnection: close\r\n\r\n# EOF\n");
        assert_eq!(whole, expected);
        assert_eq!(told(b"HEAD /metrics?x=1 HTTP/1.1\r\n\r\n") + "# EOF\n", expected);
        assert!(told(b"GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
        assert!(told(b"POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
        // What is no request, or never ends, has no answer.
        for request in [
            &b"GET /metrics HTTP/1.1\r\n"[..],
            b"",
            &[b'x'; 10_000],
            b"\xff\xfe\r\n\r\n",
        ] {
            assert_eq!(told(request), "");
        }
    }
}
