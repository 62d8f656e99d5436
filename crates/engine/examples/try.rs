use reckon_engine::*;
use std::path::Path;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t = std::time::Instant::now();
    let m = Model::load(
        Path::new(&a[1]),
        &ModelOptions {
            cpus: vec![0, 1],
            ..Default::default()
        },
        &mut |_| (),
    )
    .unwrap();
    println!("load {:?} {}", t.elapsed(), m.isa());
    let p = m
        .prompt(&[Message {
            role: Role::User,
            content: a[2].clone(),
        }])
        .unwrap();
    let mut s = Session::new(&m);
    let g = s
        .generate(
            &m,
            &Request {
                prompt: p,
                sampling: Sampling {
                    temperature: 0.0,
                    ..m.sampling()
                },
                max_tokens: Some(64),
            },
            &mut |_| std::ops::ControlFlow::Continue(()),
        )
        .unwrap();
    println!(
        "{}\n{:?} {:?} prefill {:.1} decode {:.1}",
        g.text,
        g.finish,
        g.usage,
        g.usage.prompt as f64 / g.timing.prefill.as_secs_f64(),
        g.usage.completion as f64 / g.timing.decode.as_secs_f64()
    );
}
