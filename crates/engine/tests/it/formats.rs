//! Models whose weights are codes of a codebook: whole answers are the same on every ISA, and what would be computed
//! wrongly is refused.

use crate::fixture::{Tiny, gguf};
use crate::whole::{fresh, model, prompt, request};
use reckon_engine::{Error, Isa, Model, ModelOptions};
use reckon_gguf::{File, Format, Writer};

#[test]
fn looked_up_weights_answer_alike_on_every_isa() {
    for format in [Format::MXFP4, Format::NVFP4, Format::IQ4_XS, Format::IQ2_S] {
        let tiny = Tiny {
            n_layer: 2,
            ..Tiny::new("llama", format)
        };
        let answer = |isa| {
            let options = ModelOptions {
                isa: Some(isa),
                ..ModelOptions::default()
            };
            let model = model(&tiny, &options);
            fresh(&model, &request(prompt(&model, 35), 8))
        };
        let want = answer(Isa::SCALAR);
        for isa in Isa::available() {
            assert_eq!(answer(isa), want, "{format:?} {isa}");
        }
    }
}

#[test]
fn a_factor_beside_an_nvfp4_matrix_is_refused() {
    let file = File::parse(gguf(&Tiny::new("llama", Format::NVFP4))).unwrap();
    for factor in ["blk.3.ffn_up.scale", "blk.3.ffn_up.weight.scale"] {
        let mut writer = Writer::new();
        for (key, value) in file.metadata().iter() {
            writer.value(key, value);
        }
        let mut data = Vec::new();
        for tensor in file.tensors() {
            writer
                .tensor(&tensor.name, tensor.format, &tensor.dims)
                .unwrap();
            data.push(file.tensor(&tensor.name).unwrap().data);
        }
        writer.tensor(factor, Format::F32, &[1]).unwrap();
        data.push(&[0, 0, 0, 63]);
        let file = File::parse(writer.to_vec(&data).unwrap()).unwrap();
        match Model::from_file(file, &ModelOptions::default(), &mut |_| ()) {
            Err(Error::Model(message)) => assert_eq!(
                message,
                format!(
                    "tensor blk.3.ffn_up.weight is NVFP4 with a factor of its own, {factor}, which is not supported"
                )
            ),
            other => panic!("{other:?}"),
        }
    }
}
