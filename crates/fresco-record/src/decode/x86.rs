// SPDX-License-Identifier: MIT OR Apache-2.0
//! x86-64.

use super::{Address, Effect, Registers};
use iced_x86::{
    CpuidFeature, Decoder, DecoderOptions, Instruction, InstructionInfo, InstructionInfoFactory, Mnemonic, OpAccess,
    OpKind, Register, RflagsBits, UsedMemory,
};

/// Numbers of registers: general ones from 0 on, then these.
const VECTORS: u8 = 16;
const MASKS: u8 = 48;
/// All of x87 and MMX.
const X87: u8 = 56;
/// All flags.
const FLAGS: u8 = 57;
/// The stack pointer.
pub const RSP: u8 = 4;
const RBP: u8 = 5;
const RCX: u8 = 1;

/// What the instructions do.
pub fn decode(address: u64, code: &[&[u8]]) -> Vec<Effect> {
    let mut factory = InstructionInfoFactory::new();
    let mut next = address;
    let decode = |bytes: &&[u8]| {
        let instruction = Decoder::with_ip(64, bytes, next, DecoderOptions::NONE).decode();
        next += bytes.len() as u64;
        effect(&instruction, factory.info(&instruction))
    };
    code.iter().map(decode).collect()
}

fn number(register: Register) -> Option<u8> {
    let full = register.full_register();
    if full.is_gpr64() {
        Some(full.number() as u8)
    } else if full.is_vector_register() {
        Some(VECTORS + full.number() as u8)
    } else if full.is_k() {
        Some(MASKS + full.number() as u8)
    } else if full.is_st() || full.is_mm() {
        Some(X87)
    } else {
        None
    }
}

fn set(register: Register) -> Registers {
    number(register).map_or(0, |number| 1 << number)
}

fn reads(access: OpAccess) -> bool {
    use OpAccess as A;
    matches!(access, A::Read | A::CondRead | A::ReadWrite | A::ReadCondWrite)
}

fn writes(access: OpAccess) -> bool {
    use OpAccess as A;
    matches!(access, A::Write | A::CondWrite | A::ReadWrite | A::ReadCondWrite)
}

fn address(memory: &UsedMemory) -> Address {
    // Addresses relative to the instruction are constants already.
    let segment = match memory.segment() {
        Register::FS => 1,
        Register::GS => 2,
        _ => 0,
    };
    Address {
        base: number(memory.base()).filter(|_| memory.base().is_gpr()),
        index: number(memory.index()).filter(|_| memory.index().is_gpr()),
        scale: memory.scale() as u8,
        displacement: memory.displacement() as i64,
        space: segment,
    }
}

fn effect(instruction: &Instruction, info: &InstructionInfo) -> Effect {
    use Mnemonic as M;
    let mnemonic = instruction.mnemonic();
    let mut effect = Effect {
        certain: true,
        ..Effect::default()
    };
    for memory in info.used_memory() {
        let (load, store) = (reads(memory.access()), writes(memory.access()));
        if load && effect.load.is_none() {
            effect.load = Some(address(memory));
        }
        if store && effect.store.is_none() {
            effect.store = Some(address(memory));
        }
        if memory.index().is_vector_register() {
            effect.scattered |= set(memory.index());
        }
        use OpAccess as A;
        effect.certain &= !matches!(memory.access(), A::CondRead | A::CondWrite);
        // Stores a value that it has just loaded from the same place.
        effect.stores_loaded |= load && store && mnemonic != M::Xchg;
        effect.size = effect.size.max(memory.memory_size().size().min(64) as u8);
    }
    let repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    let masked = instruction.op_mask() != Register::None
        || matches!(mnemonic, M::Vmaskmovps | M::Vmaskmovpd | M::Vpmaskmovd | M::Vpmaskmovq);
    effect.certain &= !repeated && !masked && effect.scattered == 0 && !never_seen(mnemonic);
    effect.stores_loaded |= instruction.is_string_instruction() && effect.load.is_some() && effect.store.is_some();
    effect.stores_loaded |= mnemonic == M::Push && effect.load.is_some();
    let size = instruction.memory_size().size();
    effect.no_more = effect.certain && info.used_memory().len() == 1 && (1..64).contains(&size);
    registers(instruction, info, &mut effect);
    flags(instruction, &mut effect);
    x87(instruction, &mut effect);
    special(instruction, &mut effect);
    effect
}

/// Hints and the like, which may be emulated without an access.
fn never_seen(mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    matches!(
        mnemonic,
        M::Prefetchnta
            | M::Prefetcht0
            | M::Prefetcht1
            | M::Prefetcht2
            | M::Prefetch
            | M::Prefetchw
            | M::Clflush
            | M::Clflushopt
            | M::Clwb
            | M::Nop
            | M::Cldemote
            | M::Fxsave
            | M::Fxsave64
            | M::Fxrstor
            | M::Fxrstor64
            | M::Xsave
            | M::Xsave64
            | M::Xsavec
            | M::Xsavec64
            | M::Xrstor
            | M::Xrstor64
            | M::Xsaveopt
            | M::Xsaveopt64
    )
}

/// Registers that are read for results and written.
fn registers(instruction: &Instruction, info: &InstructionInfo, effect: &mut Effect) {
    let (mut explicit, mut addressing) = (0, effect.scattered);
    for operand in 0..instruction.op_count() {
        if instruction.op_kind(operand) == OpKind::Register {
            explicit |= set(instruction.op_register(operand));
        }
    }
    for address in [effect.load, effect.store].into_iter().flatten() {
        addressing |= address.registers();
    }
    if instruction.is_string_instruction() && (instruction.has_rep_prefix() || instruction.has_repne_prefix()) {
        addressing |= 1 << RCX;
    }
    let stack = instruction.is_stack_instruction();
    if stack {
        addressing |= 1 << RSP;
    }
    for used in info.used_registers() {
        let (register, access) = (used.register(), used.access());
        let Some(index) = number(register) else { continue };
        let bit = 1 << index;
        let only_addressing = addressing & bit != 0 && explicit & bit == 0;
        if reads(access) && !only_addressing {
            effect.data |= bit;
        }
        if !writes(access) {
            continue;
        }
        if only_addressing {
            // A pointer or counter that moves on by itself.
            let step = if stack && index == RSP {
                i64::from(instruction.stack_pointer_increment())
            } else {
                0
            };
            match step {
                0 => effect.copies.push((index, index)),
                step => effect.steps.push((index, index, step)),
            }
            continue;
        }
        effect.writes |= bit;
        let narrow = register.is_gpr() && register.size() < 4;
        if narrow || matches!(access, OpAccess::CondWrite | OpAccess::ReadCondWrite) || index == X87 {
            effect.merges |= bit;
        }
    }
}

fn flags(instruction: &Instruction, effect: &mut Effect) {
    if instruction.rflags_read() != 0 {
        effect.data |= 1 << FLAGS;
    }
    let modified = instruction.rflags_modified();
    if modified != 0 && !instruction.is_stack_instruction() {
        effect.writes |= 1 << FLAGS;
        // Some stay as they were; shifts by a register may be by nothing.
        if modified & RESULTS != RESULTS || shifts_by_register(instruction) {
            effect.merges |= 1 << FLAGS;
        }
    }
}

/// The flags that results set.
const RESULTS: u32 =
    RflagsBits::CF | RflagsBits::PF | RflagsBits::AF | RflagsBits::ZF | RflagsBits::SF | RflagsBits::OF;

fn shifts_by_register(instruction: &Instruction) -> bool {
    let last = instruction.op_count().saturating_sub(1);
    instruction.op_kind(last) == OpKind::Register && instruction.op_register(last) == Register::CL && {
        use Mnemonic as M;
        matches!(
            instruction.mnemonic(),
            M::Shl | M::Shr | M::Sar | M::Rol | M::Ror | M::Rcl | M::Rcr | M::Shld | M::Shrd
        )
    }
}

/// The stack of x87, of which the table of registers does not say which ones are used.
fn x87(instruction: &Instruction, effect: &mut Effect) {
    use CpuidFeature as F;
    if !instruction
        .cpuid_features()
        .iter()
        .any(|feature| matches!(feature, F::FPU | F::FPU287 | F::FPU387))
    {
        return;
    }
    if effect.load.is_none() {
        effect.data |= 1 << X87;
    }
    if effect.store.is_none() {
        effect.writes |= 1 << X87;
        effect.merges |= 1 << X87;
    }
}

/// What the table of registers does not say.
fn special(instruction: &Instruction, effect: &mut Effect) {
    use Mnemonic as M;
    if zeroes(instruction) {
        // Of a part of a register the rest stays.
        effect.data = 0;
    }
    match instruction.mnemonic() {
        M::Syscall | M::Cpuid | M::Rdtsc | M::Rdtscp | M::Rdrand | M::Rdseed | M::Xgetbv => {
            effect.data = 0;
        }
        // What is pushed is the address behind the call.
        M::Call => (effect.data, effect.stores_loaded, effect.writes) = (0, false, 0),
        M::Leave => {
            effect.copies = vec![(RSP, RBP)];
            effect.steps.clear();
            (effect.writes, effect.data, effect.merges) = (1 << RBP, 0, 0);
        }
        M::Mov if effect.load.is_none() && effect.store.is_none() => {
            if let (Some(to), Some(from)) = (wide(instruction, 0), wide(instruction, 1)) {
                effect.steps.push((to, from, 0));
                effect.writes &= !(1 << to);
            }
        }
        // Parts of registers become what both were.
        M::Xchg => {
            if let (Some(a), Some(b)) = (whole(instruction, 0), whole(instruction, 1)) {
                effect.copies = vec![(a, b), (b, a)];
                effect.writes = 0;
            }
        }
        M::Add | M::Sub | M::Inc | M::Dec => {
            if let (Some(register), Some(by)) = (wide(instruction, 0), constant(instruction)) {
                effect.steps.push((register, register, by));
                effect.writes &= !(1 << register);
            }
        }
        M::Lea => {
            let base = instruction.memory_base();
            if let (Some(to), Some(from)) = (wide(instruction, 0), number(base).filter(|_| base.is_gpr64()))
                && instruction.memory_index() == Register::None
            {
                effect
                    .steps
                    .push((to, from, instruction.memory_displacement64() as i64));
                effect.writes &= !(1 << to);
            }
        }
        _ => {}
    }
}

/// A general register of which an operand is all, or becomes all: 32 bits replace 64.
fn whole(instruction: &Instruction, operand: u32) -> Option<u8> {
    let register = (instruction.op_kind(operand) == OpKind::Register).then(|| instruction.op_register(operand))?;
    (register.is_gpr64() || register.is_gpr32()).then(|| register.number() as u8)
}

/// A 64-bit general register as an operand.
fn wide(instruction: &Instruction, operand: u32) -> Option<u8> {
    let register = (instruction.op_kind(operand) == OpKind::Register).then(|| instruction.op_register(operand))?;
    register.is_gpr64().then(|| register.number() as u8)
}

/// The constant that an addition or subtraction adds.
fn constant(instruction: &Instruction) -> Option<i64> {
    use Mnemonic as M;
    match instruction.mnemonic() {
        M::Inc => return Some(1),
        M::Dec => return Some(-1),
        _ => {}
    }
    let immediate = matches!(instruction.op_kind(1), OpKind::Immediate8to64 | OpKind::Immediate32to64);
    let value = immediate.then(|| instruction.immediate(1) as i64)?;
    Some(if instruction.mnemonic() == M::Sub {
        value.wrapping_neg()
    } else {
        value
    })
}

/// Results that are the same whatever the operands are.
fn zeroes(instruction: &Instruction) -> bool {
    use Mnemonic as M;
    let count = instruction.op_count();
    let same = |a, b| {
        instruction.op_kind(a) == OpKind::Register
            && instruction.op_kind(b) == OpKind::Register
            && instruction.op_register(a) == instruction.op_register(b)
    };
    let idiom = matches!(
        instruction.mnemonic(),
        M::Xor
            | M::Sub
            | M::Pxor
            | M::Xorps
            | M::Xorpd
            | M::Vpxor
            | M::Vpxord
            | M::Vpxorq
            | M::Vxorps
            | M::Vxorpd
            | M::Psubb
            | M::Psubw
            | M::Psubd
            | M::Psubq
            | M::Vpsubb
            | M::Vpsubw
            | M::Vpsubd
            | M::Vpsubq
            | M::Pcmpeqb
            | M::Pcmpeqw
            | M::Pcmpeqd
            | M::Pcmpeqq
            | M::Vpcmpeqb
            | M::Vpcmpeqw
            | M::Vpcmpeqd
            | M::Vpcmpeqq
    );
    idiom && ((count == 2 && same(0, 1)) || (count == 3 && same(1, 2)))
}
