// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where an x86-64 block leads: whether the one that ran next followed from it, or something came between.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Mnemonic, OpKind};

/// What may run after a block on the same processor, if nothing comes between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leads {
    /// Addresses.
    pub next: Vec<u64>,
    /// And any place that code leads to: an address in a register or in memory, a return.
    pub anywhere: bool,
    /// Where the callee returns to, if it ends with a call.
    pub back: Option<u64>,
}

/// Where a block leads whose last instruction is this one, at `address`.
pub fn leads(address: u64, last: &[u8]) -> Leads {
    let instruction = Decoder::with_ip(64, last, address, DecoderOptions::NONE).decode();
    let after = address.wrapping_add(last.len() as u64);
    let near = instruction.op0_kind() == OpKind::NearBranch64;
    let target = instruction.near_branch_target();
    // What goes elsewhere by a descriptor changes more than the place.
    let far = instruction.is_jmp_far_indirect() || instruction.is_call_far_indirect();
    match instruction.flow_control() {
        FlowControl::Next => Leads {
            // An emulator may repeat an instruction block by block.
            next: match instruction.is_string_instruction() {
                true => vec![after, address],
                false => vec![after],
            },
            ..Leads::default()
        },
        FlowControl::UnconditionalBranch if near => Leads {
            next: vec![target],
            ..Leads::default()
        },
        FlowControl::ConditionalBranch if near => Leads {
            next: vec![after, target],
            ..Leads::default()
        },
        FlowControl::Call if near => Leads {
            next: vec![target],
            back: Some(after),
            ..Leads::default()
        },
        FlowControl::IndirectCall if !far => Leads {
            anywhere: true,
            back: Some(after),
            ..Leads::default()
        },
        FlowControl::IndirectBranch if !far => Leads {
            anywhere: true,
            ..Leads::default()
        },
        FlowControl::Return if instruction.mnemonic() == Mnemonic::Ret => Leads {
            anywhere: true,
            ..Leads::default()
        },
        // System calls and returns from them and from interrupts, interrupts, and what cannot be executed.
        _ => Leads::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodings by hand, Intel SDM vol. 2.
    #[test]
    fn blocks_lead_where_their_last_instruction_does() {
        let of = |bytes: &[u8]| {
            let Leads { next, anywhere, back } = leads(0x1000, bytes);
            (next, anywhere, back)
        };
        // mov rax, [rbx]; rep movsb; hlt
        assert_eq!(of(&[0x48, 0x8b, 0x03]), (vec![0x1003], false, None));
        assert_eq!(of(&[0xf3, 0xa4]), (vec![0x1002, 0x1000], false, None));
        assert_eq!(of(&[0xf4]), (vec![0x1001], false, None));
        // jmp short; jne; loop
        assert_eq!(of(&[0xeb, 0x10]), (vec![0x1012], false, None));
        assert_eq!(of(&[0x75, 0xfe]), (vec![0x1002, 0x1000], false, None));
        assert_eq!(of(&[0xe2, 0xf0]), (vec![0x1002, 0xff2], false, None));
        // call; call [rax]; jmp rax; ret; ret 8
        assert_eq!(of(&[0xe8, 0, 1, 0, 0]), (vec![0x1105], false, Some(0x1005)));
        assert_eq!(of(&[0xff, 0x10]), (vec![], true, Some(0x1002)));
        assert_eq!(of(&[0xff, 0xe0]), (vec![], true, None));
        assert_eq!(of(&[0xc3]), (vec![], true, None));
        assert_eq!(of(&[0xc2, 8, 0]), (vec![], true, None));
        // syscall; sysretq; iretq; retfq; int3; ud2; jmp far [rax]; what is no instruction
        for bytes in [
            &[0x0f, 0x05][..],
            &[0x48, 0x0f, 0x07],
            &[0x48, 0xcf],
            &[0x48, 0xcb],
            &[0xcc],
            &[0x0f, 0x0b],
            &[0xff, 0x28],
            &[0x06],
        ] {
            assert_eq!(of(bytes), (vec![], false, None), "{bytes:x?}");
        }
    }
}
