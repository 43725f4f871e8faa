// SPDX-License-Identifier: MIT OR Apache-2.0
//! Structures that grow: the caller says how large its own is, and gets or gives so much.

use crate::status::Failure;

/// A structure of `fresco.h` whose first field is its size.
///
/// # Safety
/// It is `repr(C)`, its first field is a `usize`, it has no padding, and all bytes zero are a value of it.
pub(crate) unsafe trait Grows: Copy {}

// SAFETY: by their definitions; a test of layouts looks at the padding.
unsafe impl Grows for crate::types::fresco_options {}
// SAFETY: as above.
unsafe impl Grows for crate::types::fresco_info {}
// SAFETY: as above.
unsafe impl Grows for crate::types::fresco_done {}
// SAFETY: as above.
unsafe impl Grows for crate::types::fresco_stats {}
// SAFETY: as above.
unsafe impl Grows for crate::types::fresco_verdict {}

/// The caller's size of a structure.
///
/// # Safety
/// `at` is null, or points to as many readable bytes as its first field says, aligned as the structure is.
#[inline]
unsafe fn size_of_caller<T: Grows>(at: *const T, name: &str) -> Result<usize, Failure> {
    if at.is_null() {
        return Err(Failure::argument(format!("found a null pointer for {name}")));
    }
    // SAFETY: the first field is a usize.
    let size = unsafe { at.cast::<usize>().read() };
    if size < size_of::<usize>() || size > 1 << 16 {
        return Err(Failure::argument(format!(
            "found {name}.size {size}, allowed: sizeof({name}), which is {} here",
            size_of::<T>()
        )));
    }
    Ok(size)
}

/// Reads a structure: what the caller's lacks is zero, and what only the caller knows must be zero.
///
/// # Safety
/// As for [`size_of_caller`].
pub(crate) unsafe fn take<T: Grows>(at: *const T, name: &str) -> Result<T, Failure> {
    // SAFETY: as the caller promises.
    let size = unsafe { size_of_caller(at, name)? };
    let known = size.min(size_of::<T>());
    // SAFETY: all bytes zero are a value of the type.
    let mut value: T = unsafe { std::mem::zeroed() };
    // SAFETY: both have so many bytes, and the value is ours alone.
    unsafe { std::ptr::copy_nonoverlapping(at.cast::<u8>(), (&raw mut value).cast::<u8>(), known) };
    // SAFETY: the caller's has these bytes.
    let unknown = unsafe { std::slice::from_raw_parts(at.cast::<u8>().add(known), size - known) };
    if unknown.iter().any(|&byte| byte != 0) {
        return Err(Failure::argument(format!(
            "found fields of {name} that this version of the library does not know; allowed: zero"
        )));
    }
    Ok(value)
}

/// A structure of the caller that is to be written, and whose size has been looked at.
pub(crate) struct Room<T> {
    at: *mut T,
    size: usize,
}

impl<T: Grows> Room<T> {
    /// # Safety
    /// As for [`size_of_caller`].
    #[inline]
    pub unsafe fn of(at: *mut T, name: &str) -> Result<Self, Failure> {
        // SAFETY: as the caller promises.
        let size = unsafe { size_of_caller(at, name)? };
        Ok(Self { at, size })
    }

    /// Writes it as far as the caller's goes; what only the caller knows becomes zero. Its size stays as it is.
    ///
    /// # Safety
    /// As for [`size_of_caller`], and the bytes may be written.
    // Of a function: mostly the value is made where it is to be.
    #[inline]
    pub unsafe fn fill(self, value: impl FnOnce() -> T) {
        if self.size == size_of::<T>() {
            // SAFETY: the caller's is the structure as it is here; both begin with the same size.
            unsafe { self.at.write(value()) };
        } else {
            // SAFETY: as the caller promises.
            unsafe { self.fill_part(&value()) };
        }
    }

    #[cold]
    unsafe fn fill_part(self, value: &T) {
        let Self { at, size } = self;
        let head = size_of::<usize>();
        let known = size.min(size_of::<T>());
        let (from, to) = ((&raw const *value).cast::<u8>(), at.cast::<u8>());
        // SAFETY: the value and the caller's structure have so many bytes, and do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from.add(head), to.add(head), known - head) };
        // SAFETY: the caller's structure has these bytes.
        unsafe { std::ptr::write_bytes(to.add(known), 0, size - known) };
    }
}

/// Writes a structure ([`Room::fill`]).
///
/// # Safety
/// As for [`size_of_caller`], and the bytes may be written.
#[inline]
pub(crate) unsafe fn give<T: Grows>(at: *mut T, name: &str, value: &T) -> Result<(), Failure> {
    // SAFETY: as the caller promises.
    unsafe { Room::of(at, name)?.fill(|| *value) };
    Ok(())
}
