use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::retry_on_intr;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// Number of files sent with the order to start a program.
const FILES: usize = 2;

/// An order to a supervisor that restarts its program: a byte on a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Order {
    /// Start the program. Its standard input and output are sent with the order.
    Start = b's',
    /// The program was asked to exit: kill it and everything it started after the grace time.
    Leave = b'l',
    /// Send SIGTERM to the program, and kill it after the grace time.
    End = b'e',
    /// Kill the program now.
    Kill = b'k',
}

impl Order {
    const fn of(byte: u8) -> Option<Self> {
        match byte {
            b's' => Some(Self::Start),
            b'l' => Some(Self::Leave),
            b'e' => Some(Self::End),
            b'k' => Some(Self::Kill),
            _ => None,
        }
    }
}

/// Sends an order, with the files of [`Order::Start`].
pub(super) fn send(socket: impl AsFd, order: Order, files: &[&OwnedFd]) -> io::Result<()> {
    let files: Vec<_> = files.iter().map(|file| file.as_fd()).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() && !control.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(io::Error::other("too many files for an order"));
    }
    let byte = [order as u8];
    retry_on_intr(|| {
        let bytes = [IoSlice::new(&byte)];
        sendmsg(&socket, &bytes, &mut control, SendFlags::NOSIGNAL)
    })?;
    Ok(())
}

/// Returns the next order with its files, or `None` once the socket is closed. Unknown bytes are
/// skipped.
pub(super) fn receive(socket: impl AsFd) -> Option<(Order, Vec<OwnedFd>)> {
    loop {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let received = retry_on_intr(|| {
            let mut bytes = [IoSliceMut::new(&mut byte)];
            recvmsg(&socket, &mut bytes, &mut control, RecvFlags::CMSG_CLOEXEC)
        });
        if received.ok()?.bytes == 0 {
            return None;
        }
        let mut files = Vec::new();
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = message {
                files.extend(rights);
            }
        }
        if let Some(order) = Order::of(byte[0]) {
            return Some((order, files));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn orders_arrive_with_their_files() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (reader, writer) = io::pipe().unwrap();
        let (reader, writer) = (OwnedFd::from(reader), OwnedFd::from(writer));
        (&ours).write_all(b"?").unwrap();
        send(&ours, Order::Start, &[&reader, &writer]).unwrap();
        send(&ours, Order::Leave, &[]).unwrap();
        drop((reader, writer, ours));
        let (order, files) = receive(&theirs).unwrap();
        assert_eq!((order, files.len()), (Order::Start, 2));
        let mut files = files.into_iter();
        let (reader, writer) = (files.next().unwrap(), files.next().unwrap());
        std::fs::File::from(writer).write_all(b"through").unwrap();
        let mut text = String::new();
        std::fs::File::from(reader)
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "through");
        let (order, files) = receive(&theirs).unwrap();
        assert_eq!((order, files.len()), (Order::Leave, 0));
        assert!(receive(&theirs).is_none());
    }
}
