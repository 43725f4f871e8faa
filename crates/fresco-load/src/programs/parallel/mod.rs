// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs of several threads, one file each (BEN-8). They stand for the parallel programs of the papers, which
//! cannot be shipped: a lattice Boltzmann method for lbm, sparse systems for equake, option prices for blackscholes,
//! clusters for streamcluster. The papers call art and equake programs of SPEC CPU2006; they belong to SPEC OMP and
//! CPU2000 (CON-27).

mod bfs;
mod blackscholes;
mod cg;
mod fft;
mod graph;
mod histogram;
mod kmeans;
mod lbm;
mod matmult;
mod strides;

pub(crate) use bfs::BFS;
pub(crate) use blackscholes::BLACKSCHOLES;
pub(crate) use cg::CG;
pub(crate) use fft::FFT;
pub(crate) use histogram::HISTOGRAM;
pub(crate) use kmeans::KMEANS;
pub(crate) use lbm::LBM;
pub(crate) use matmult::MATMULT_PARALLEL;
pub(crate) use strides::STRIDES_PARALLEL;
