//! Integration tests of the network, in one program. `tests/allocation.rs` counts allocations and
//! needs a process of its own.

mod backprop;
mod cpu;
mod export;
mod onnx_reader;
mod parity;
mod support;
