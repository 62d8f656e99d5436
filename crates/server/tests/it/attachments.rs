//! Pictures, sound and documents in every protocol.
use crate::{client::upload, house::House};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use image::{ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};
use std::{
    io::{Cursor, Write as _},
    path::PathBuf,
};

fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// A picture of one colour and a bar.
fn png(colour: [u8; 3]) -> Vec<u8> {
    let picture = RgbImage::from_fn(
        96,
        96,
        |x, _| if x < 30 { Rgb([0; 3]) } else { Rgb(colour) },
    );
    let mut out = Cursor::new(Vec::new());
    picture.write_to(&mut out, ImageFormat::Png).expect("a PNG");
    out.into_inner()
}

/// So many seconds of a tone that comes and goes, as WAV.
pub(crate) fn wav(seconds: u32) -> Vec<u8> {
    const RATE: u32 = 16_000;
    let n = seconds * RATE;
    let mut out = b"RIFF".to_vec();
    out.extend((36 + 2 * n).to_le_bytes());
    out.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    out.extend(RATE.to_le_bytes());
    out.extend((2 * RATE).to_le_bytes());
    out.extend(b"\x02\0\x10\0data");
    out.extend((2 * n).to_le_bytes());
    for i in 0..n {
        let time = i as f32 / RATE as f32;
        let loud = if time % 2.0 < 1.6 { 8000.0 } else { 0.0 };
        let sample = (time * 440.0 * std::f32::consts::TAU).sin() * loud;
        out.extend((sample as i16).to_le_bytes());
    }
    out
}

/// A document of one page.
fn pdf(text: &str) -> Vec<u8> {
    let content = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>".to_owned(),
        format!("<</Length {}>>stream\n{content}\nendstream", content.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    let mut out = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (i, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", out.len());
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", i + 1).bytes());
    }
    let start = out.len();
    let size = objects.len() + 1;
    out.extend(
        format!("{table}trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF").bytes(),
    );
    out
}

fn picture_part(bytes: &[u8]) -> Value {
    let url = format!("data:image/png;base64,{}", base64(bytes));
    json!({ "type": "image_url", "image_url": { "url": url, "detail": "auto" } })
}

fn words() -> Value {
    json!({ "type": "text", "text": "What is this?" })
}

fn chat(parts: &Value) -> Value {
    json!({ "messages": [{ "role": "user", "content": parts }], "max_tokens": 2, "temperature": 0, "logprobs": true })
}

#[test]
fn a_picture_is_seen_in_every_protocol() {
    let house = House::with_senses();
    let (red, blue) = (png([200, 0, 0]), png([0, 0, 200]));
    let ask = |parts: &Value| {
        let answer = house.post("/v1/chat/completions", &chat(parts));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    let blind = ask(&json!([words()]));
    let seen = ask(&json!([words(), picture_part(&red)]));
    let tokens = |said: &Value| said["usage"]["prompt_tokens"].as_u64().expect("a number");
    assert!(tokens(&seen) > tokens(&blind) + 5, "{seen}");
    let likely = |said: &Value| said["choices"][0]["logprobs"]["content"][0]["logprob"].clone();
    let other = ask(&json!([words(), picture_part(&blue)]));
    assert_ne!(likely(&seen), likely(&other), "another picture");
    assert_eq!(
        likely(&seen),
        likely(&ask(&json!([words(), picture_part(&red)])))
    );

    let red = base64(&red);
    let image =
        json!({ "type": "input_image", "image_url": format!("data:image/png;base64,{red}") });
    let input = json!([{ "role": "user", "content": [{ "type": "input_text", "text": "What is this?" }, image] }]);
    let said = house
        .post(
            "/v1/responses",
            &json!({ "input": input, "max_output_tokens": 2 }),
        )
        .json();
    assert_eq!(said["usage"]["input_tokens"], tokens(&seen), "{said}");
    let counted = house
        .post("/v1/responses/input_tokens", &json!({ "input": input }))
        .json();
    assert_eq!(counted["input_tokens"], tokens(&seen), "{counted}");

    let options = json!({ "num_predict": 2 });
    let message = json!({ "role": "user", "content": "What is this?", "images": [red] });
    let body =
        json!({ "model": "seeing", "messages": [message], "stream": false, "options": options });
    let said = house.post("/api/chat", &body).json();
    assert_eq!(said["prompt_eval_count"], tokens(&seen), "{said}");
    let body = json!({ "model": "seeing", "prompt": "What is this?", "images": [red], "stream": false, "options": options });
    let said = house.post("/api/generate", &body).json();
    assert_eq!(said["prompt_eval_count"], tokens(&seen), "{said}");

    let source = json!({ "type": "base64", "media_type": "image/png", "data": red });
    let blocks = json!([{ "type": "image", "source": source }, words()]);
    let body = json!({ "messages": [{ "role": "user", "content": blocks }], "max_tokens": 2 });
    let said = house.post("/v1/messages/count_tokens", &body).json();
    assert_eq!(said["input_tokens"], tokens(&seen), "{said}");
    let said = house.post("/v1/messages", &body);
    assert_eq!(said.status, 200, "{}", said.text());

    let shown = house
        .post("/api/show", &json!({ "model": "seeing" }))
        .json();
    let can = shown["capabilities"].to_string();
    assert!(can.contains("vision") && can.contains("audio"), "{can}");
}

#[test]
fn sound_is_heard_and_several_answers_share_its_reading() {
    let house = House::with_senses();
    let ask = |seconds: u32| {
        let audio = json!({ "data": base64(&wav(seconds)), "format": "wav" });
        let parts = json!([{ "type": "input_audio", "input_audio": audio }, words()]);
        let mut body = chat(&parts);
        body["n"] = 2.into();
        let answer = house.post("/v1/chat/completions", &body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["usage"]["prompt_tokens"]
            .as_u64()
            .expect("a number")
    };
    assert!(ask(4) > ask(2) + 40, "25 soft tokens a second");
}

#[test]
fn documents_are_put_before_the_words_under_their_names() {
    let house = House::tiny();
    let rendered = |message: Value| {
        let answer = house.post("/apply-template", &json!({ "messages": [message] }));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["prompt"].as_str().expect("a text").to_owned()
    };
    let data = format!(
        "data:application/pdf;base64,{}",
        base64(&pdf("The total is 42 euros."))
    );
    let file = json!({ "type": "file", "file": { "filename": "bill.pdf", "file_data": data } });
    let prompt = rendered(json!({ "role": "user", "content": [words(), file] }));
    let (page, question) = (
        prompt.find("The total is 42 euros."),
        prompt.find("What is this?"),
    );
    assert!(prompt.contains("bill.pdf:\n```\n"), "{prompt}");
    assert!(page.is_some() && page < question, "{prompt}");

    let source = json!({ "type": "text", "media_type": "text/plain", "data": "Bring two loaves." });
    let document = json!({ "type": "document", "title": "list.txt", "source": source });
    let blocks = json!([document, words()]);
    let count = |content: &Value| {
        let body = json!({ "model": "tiny", "messages": [{ "role": "user", "content": content }] });
        let answer = house.post("/v1/messages/count_tokens", &body);
        answer.json()["input_tokens"].as_u64().expect("a number")
    };
    let spelled = json!("list.txt:\n```\nBring two loaves.\n```\n\nWhat is this?");
    assert_eq!(count(&blocks), count(&spelled));

    let input = json!({ "type": "input_file", "filename": "list.txt", "file_data": base64(b"Bring two loaves.") });
    let input = json!([{ "role": "user", "content": [input, { "type": "input_text", "text": "What is this?" }] }]);
    let said = house
        .post("/v1/responses/input_tokens", &json!({ "input": input }))
        .json();
    assert_eq!(said["input_tokens"], count(&spelled), "{said}");
}

#[test]
fn a_model_without_eyes_or_ears_says_so_with_400() {
    let house = House::tiny();
    let picture = json!([words(), picture_part(&png([1, 2, 3]))]);
    let audio = json!({ "data": base64(&wav(1)), "format": "wav" });
    let sound = json!([{ "type": "input_audio", "input_audio": audio }]);
    for (parts, word) in [(&picture, "cannot see"), (&sound, "cannot hear")] {
        for stream in [false, true] {
            let mut body = chat(parts);
            body["stream"] = stream.into();
            let answer = house.post("/v1/chat/completions", &body);
            assert_eq!(answer.status, 400, "{}", answer.text());
            let error = &answer.json()["error"];
            assert!(
                error["message"].as_str().expect("words").contains(word),
                "{error}"
            );
            assert_eq!(error["param"], "messages");
        }
    }
    let image = json!({ "type": "input_image", "image_url": format!("data:image/png;base64,{}", base64(&png([9; 3]))) });
    let body = json!({ "input": [{ "role": "user", "content": [image] }] });
    let answer = house.post("/v1/responses", &body);
    assert_eq!(
        (answer.status, &answer.json()["error"]["param"]),
        (400, &json!("input"))
    );
    let message = json!({ "role": "user", "content": "", "images": [base64(&png([9; 3]))] });
    let answer = house.post(
        "/api/chat",
        &json!({ "model": "tiny", "messages": [message] }),
    );
    assert_eq!(answer.status, 400);
    assert!(
        answer.json()["error"]
            .as_str()
            .expect("words")
            .contains("cannot see")
    );
}

#[test]
fn hostile_files_are_400_and_never_500() {
    let house = House::with_senses();
    let mut cut = png([5, 5, 5]);
    cut.truncate(60);
    let mut thin = Cursor::new(Vec::new());
    let line = RgbImage::from_pixel(4000, 1, Rgb([7; 3]));
    line.write_to(&mut thin, ImageFormat::Png).expect("a PNG");
    let part = |bytes: &[u8]| picture_part(bytes);
    let far = json!({ "type": "image_url", "image_url": { "url": "http://127.0.0.1:1/a.png" } });
    let many: Vec<Value> = (0..17).map(|_| part(&png([1; 3]))).collect();
    for (what, parts) in [
        ("cut off", json!([part(&cut)])),
        ("only a mark", json!([part(b"\x89PNG\r\n\x1a\n")])),
        ("nonsense", json!([part(&[0, 1, 2, 3, 250, 251])])),
        ("empty", json!([part(b"")])),
        ("an archive", json!([part(b"PK\x03\x04aaaa")])),
        ("a broken PDF", json!([part(b"%PDF-1.4\nnothing")])),
        ("no sound", json!([part(b"RIFF\xff\xff\xff\xffWAVEfmt ")])),
        ("elsewhere", json!([far])),
        ("many", json!(many)),
        ("no type", json!([{ "text": "a" }])),
        ("unknown", json!([{ "type": "hologram" }])),
        ("no url", json!([{ "type": "image_url" }])),
    ] {
        let answer = house.post("/v1/chat/completions", &chat(&parts));
        assert_eq!(answer.status, 400, "{what}: {}", answer.text());
        let message = answer.json()["error"]["message"].clone();
        let message = message.as_str().expect("words");
        assert!(
            !message.contains('\n') && message.len() < 400,
            "{what}: {message}"
        );
    }
    let unknown = json!([{ "type": "file", "file": { "file_id": "file-1" } }]);
    assert_eq!(
        house.post("/v1/chat/completions", &chat(&unknown)).status,
        404
    );
    // What shape an encoder takes is its own matter; a line of pixels must not break the server.
    let answer = house.post(
        "/v1/chat/completions",
        &chat(&json!([part(&thin.into_inner())])),
    );
    assert!(
        answer.status == 200 || answer.status == 400,
        "{}",
        answer.text()
    );
    assert_eq!(house.get("/readyz").status, 200);
}

/// The tiny Gemma 4 whose encoders were checked against Hugging Face, with files as people have them.
#[test]
fn photos_and_voices_of_the_shared_folder() {
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let model = shared.join("models/tiny-gemma4/tiny-text-f32.gguf");
    if !model.exists() {
        let line = "SKIPPED: a real photo and a real voice need ../shared beside the project";
        let _ = writeln!(std::io::stderr(), "{line}");
        return;
    }
    let home = tempfile::tempdir().expect("a directory");
    let senses = shared.join("models/tiny-gemma4/tiny-mmproj-f32.gguf");
    let house = House::with_files(home, model, senses);
    let file =
        |name: &str| base64(&std::fs::read(shared.join("data/documents").join(name)).expect(name));
    let photo = json!({ "type": "image_url", "image_url": { "url": format!("data:image/jpeg;base64,{}", file("photo_hopper.jpg")) } });
    let voice = json!({ "type": "input_audio", "input_audio": { "data": file("voice_jfk_opus.ogg"), "format": "ogg" } });
    let scan = json!({ "type": "file", "file": { "filename": "scan.pdf", "file_data": file("scan_linn.pdf") } });
    for part in [photo, voice, scan] {
        let answer = house.post("/v1/chat/completions", &chat(&json!([part, words()])));
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let broken = json!({ "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{}", file("broken.png")) } });
    let answer = house.post("/v1/chat/completions", &chat(&json!([broken])));
    assert_eq!(answer.status, 400, "{}", answer.text());
}

#[test]
fn a_file_that_was_uploaded_is_named_by_its_id() {
    let house = House::with_senses();
    let keep = |name: &str, bytes: &[u8]| {
        let fields: [(&str, Option<&str>, &[u8]); 2] =
            [("purpose", None, b"user_data"), ("file", Some(name), bytes)];
        let kept = upload(house.address, "/v1/files", &[], &fields).json();
        assert_eq!(kept["purpose"], "user_data", "{kept}");
        kept["id"].as_str().expect("an id").to_owned()
    };
    let ask = |part: Value| {
        let answer = house.post("/v1/chat/completions", &chat(&json!([words(), part])));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let said = answer.json();
        let likely = said["choices"][0]["logprobs"]["content"][0]["logprob"].clone();
        (said["usage"]["prompt_tokens"].clone(), likely)
    };
    let document = pdf("The key is under the mat");
    let id = keep("note.pdf", &document);
    let data = base64(&document);
    let sent =
        ask(json!({ "type": "file", "file": { "filename": "note.pdf", "file_data": data } }));
    assert_eq!(
        ask(json!({ "type": "file", "file": { "file_id": id } })),
        sent
    );
    assert_eq!(ask(json!({ "type": "input_file", "file_id": id })), sent);
    let red = png([200, 0, 0]);
    let (seen, picture) = (ask(picture_part(&red)), keep("red.png", &red));
    let part = json!({ "type": "image_url", "image_url": { "file_id": picture } });
    assert_eq!(ask(part).0, seen.0);
    let part = json!({ "type": "input_image", "file_id": picture });
    assert_eq!(ask(part).0, seen.0);

    let input = json!([{ "role": "user", "content": [{ "type": "input_file", "file_id": id }] }]);
    let body = json!({ "input": input, "max_output_tokens": 2 });
    assert_eq!(house.post("/v1/responses", &body).status, 200);
    let block = json!({ "type": "document", "source": { "type": "file", "file_id": id } });
    let body = json!({ "model": "seeing", "max_tokens": 2, "messages": [{ "role": "user", "content": [block] }] });
    let answer = house.post("/v1/messages", &body);
    assert_eq!(answer.status, 200, "{}", answer.text());

    for id in ["file-000000000000000000000000", "../reckon.db", ""] {
        let part = json!({ "type": "file", "file": { "file_id": id } });
        let refused = house.post("/v1/chat/completions", &chat(&json!([words(), part])));
        assert_eq!(refused.status, 404, "{id}: {}", refused.text());
        assert_eq!(refused.json()["error"]["param"], "file_id");
    }
    // What cannot fetch says so.
    let part = json!({ "type": "file", "file": { "file_id": id } });
    let body = json!({ "messages": [{ "role": "user", "content": [part] }] });
    let refused = house.post("/apply-template", &body);
    assert_eq!(refused.status, 400, "{}", refused.text());
}
