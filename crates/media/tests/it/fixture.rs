//! Small files of every kind, written here so that no test needs one from elsewhere.
use ropus::{Application, Bitrate, Channels, Encoder};
use std::{fmt::Write as _, io::Write};

/// A ZIP archive with these parts, compressed.
pub(crate) fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = rawzip::ZipArchiveWriter::new(Vec::new());
    for (name, bytes) in parts {
        let file = archive.new_file(name);
        let file = file.compression_method(rawzip::CompressionMethod::Deflate);
        let (mut entry, config) = file.start().unwrap();
        let deflate = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::fast());
        let mut writer = config.wrap(deflate);
        writer.write_all(bytes).unwrap();
        let (deflate, descriptor) = writer.finish().unwrap();
        deflate.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap()
}

pub(crate) fn docx(body: &str) -> Vec<u8> {
    let xml = format!(
        "<?xml version=\"1.0\"?><w:document xmlns:w=\"http://w\"><w:body>{body}</w:body></w:document>"
    );
    zip(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("word/document.xml", xml.as_bytes()),
    ])
}

/// A workbook of one sheet called `Prices & more`; `rows` is the XML inside `sheetData`.
pub(crate) fn xlsx(rows: &str, strings: &[&str]) -> Vec<u8> {
    let book = "<workbook xmlns:r=\"http://r\"><sheets>\
        <sheet name=\"Prices &amp; more\" sheetId=\"1\" r:id=\"rId7\"/></sheets></workbook>";
    let rels =
        "<Relationships><Relationship Id=\"rId7\" Target=\"worksheets/a.xml\"/></Relationships>";
    let styles = "<styleSheet><numFmts><numFmt numFmtId=\"170\" formatCode=\"dd.mm.yyyy\"/></numFmts>\
        <cellStyleXfs><xf numFmtId=\"9\"/></cellStyleXfs>\
        <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"170\"/><xf numFmtId=\"10\"/></cellXfs></styleSheet>";
    let item = |text: &&str| format!("<si><t>{text}</t></si>");
    let strings: String = strings.iter().map(item).collect();
    zip(&[
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", rels.as_bytes()),
        ("xl/styles.xml", styles.as_bytes()),
        (
            "xl/sharedStrings.xml",
            format!("<sst>{strings}</sst>").as_bytes(),
        ),
        (
            "xl/worksheets/a.xml",
            format!("<worksheet><sheetData>{rows}</sheetData></worksheet>").as_bytes(),
        ),
    ])
}

/// A PDF with a page for each content stream; `resources` is what stands in their `/Resources`.
pub(crate) fn pdf_with(resources: &str, contents: &[&str], more: &[Vec<u8>]) -> Vec<u8> {
    let n = contents.len();
    let kids: String = (0..n).map(|i| format!("{} 0 R ", 3 + 2 * i)).collect();
    let mut objects: Vec<Vec<u8>> = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Count {n}/Kids[{kids}]>>").into_bytes(),
    ];
    for (i, content) in contents.iter().enumerate() {
        let page = format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {} 0 R/Resources<<{resources}>>>>",
            4 + 2 * i
        );
        objects.push(page.into_bytes());
        objects.push(stream("", content.as_bytes()));
    }
    objects.extend(more.iter().cloned());
    let mut out = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (i, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", out.len()).unwrap();
        out.extend(format!("{} 0 obj\n", i + 1).bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let at = out.len();
    let trailer = format!(
        "{table}trailer\n<</Root 1 0 R/Size {}>>\nstartxref\n{at}\n%%EOF\n",
        objects.len() + 1
    );
    out.extend(trailer.bytes());
    out
}

pub(crate) fn stream(entries: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!("<<{entries}/Length {}>>\nstream\n", bytes.len());
    [head.as_bytes(), bytes, b"\nendstream"].concat()
}

/// A PDF in Helvetica.
pub(crate) fn pdf(contents: &[&str]) -> Vec<u8> {
    let font =
        "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>>>";
    pdf_with(font, contents, &[])
}

/// Samples as a WAV file of 16 bits.
pub(crate) fn wav(rate: u32, channels: u16, samples: &[i16]) -> Vec<u8> {
    let length = samples.len() as u32 * 2;
    let mut out = b"RIFF".to_vec();
    out.extend((36 + length).to_le_bytes());
    out.extend(b"WAVEfmt \x10\0\0\0\x01\0");
    out.extend(channels.to_le_bytes());
    out.extend(rate.to_le_bytes());
    out.extend((rate * u32::from(channels) * 2).to_le_bytes());
    out.extend((channels * 2).to_le_bytes());
    out.extend(b"\x10\0data");
    out.extend(length.to_le_bytes());
    out.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    out
}

/// A tone at half of the full level.
pub(crate) fn tone(rate: u32, hertz: f64, seconds: f64) -> Vec<i16> {
    let n = (f64::from(rate) * seconds) as usize;
    let step = 2.0 * std::f64::consts::PI * hertz / f64::from(rate);
    (0..n)
        .map(|i| ((step * i as f64).sin() * 16_384.0) as i16)
        .collect()
}

/// A page of an Ogg stream; `kind` is 2 for the first, 4 for the last, 0 in between.
pub(crate) fn ogg_page(kind: u8, granule: i64, sequence: u32, packets: &[&[u8]]) -> Vec<u8> {
    let mut segments = Vec::new();
    for packet in packets {
        segments.extend(std::iter::repeat_n(255, packet.len() / 255));
        segments.push((packet.len() % 255) as u8);
    }
    let mut out = b"OggS\0".to_vec();
    out.push(kind);
    out.extend(granule.to_le_bytes());
    out.extend(7_u32.to_le_bytes());
    out.extend(sequence.to_le_bytes());
    out.extend([0; 4]);
    out.push(u8::try_from(segments.len()).unwrap());
    out.extend(segments);
    for packet in packets {
        out.extend(*packet);
    }
    let mut crc = 0_u32;
    for byte in &out {
        crc ^= u32::from(*byte) << 24;
        for _ in 0..8 {
            crc = if crc >> 31 == 1 {
                crc << 1 ^ 0x04c1_1db7
            } else {
                crc << 1
            };
        }
    }
    out[22..26].copy_from_slice(&crc.to_le_bytes());
    out
}

pub(crate) fn opus_head(channels: u8, pre_skip: u16) -> Vec<u8> {
    let mut head = b"OpusHead\x01".to_vec();
    head.push(channels);
    head.extend(pre_skip.to_le_bytes());
    head.extend(48_000_u32.to_le_bytes());
    head.extend([0, 0, 0]);
    head
}

/// Ogg pages of mono Opus: header, comments, and then one page for every ten packets of 20 ms.
pub(crate) fn opus_pages(samples: &[i16]) -> Vec<Vec<u8>> {
    const PRE_SKIP: u16 = 312;
    let mut encoder = Encoder::builder(48_000, Channels::Mono, Application::Voip)
        .bitrate(Bitrate::Bits(32_000))
        .build()
        .unwrap();
    let mut packets = Vec::new();
    for frame in samples.chunks(960) {
        let mut frame = frame.to_vec();
        frame.resize(960, 0);
        let mut packet = [0; 1500];
        let length = encoder.encode(&frame, &mut packet).unwrap();
        packets.push(packet[..length].to_vec());
    }
    let mut pages = vec![
        ogg_page(2, 0, 0, &[&opus_head(1, PRE_SKIP)]),
        ogg_page(0, 0, 1, &[b"OpusTags\x01\0\0\0x\0\0\0\0"]),
    ];
    let n = packets.len().div_ceil(10);
    for (i, group) in packets.chunks(10).enumerate() {
        let group: Vec<&[u8]> = group.iter().map(Vec::as_slice).collect();
        let end = 960 * (10 * i + group.len());
        let (kind, end) = if i + 1 == n {
            (4, end.min(samples.len()))
        } else {
            (0, end)
        };
        pages.push(ogg_page(kind, end as i64, i as u32 + 2, &group));
    }
    pages
}

pub(crate) const MAIL: &str = "Return-Path: <a@b.c>\r\n\
From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\r\n\
To: Ann <ann@example.org>\r\n\
Subject: Offer\r\n of today\r\n\
MIME-Version: 1.0\r\n\
Content-Type: multipart/mixed; boundary=\"x1\"\r\n\r\n\
preamble\r\n--x1\r\n\
Content-Type: multipart/alternative; boundary=x2\r\n\r\n\
--x2\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\
Content-Transfer-Encoding: quoted-printable\r\n\r\n\
Gr=FC=DFe, the price is 12=\r\n3 euros.\r\n\
--x2\r\nContent-Type: text/html\r\n\r\n<p>not this</p>\r\n--x2--\r\n\
--x1\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n\
PGI+Ym9sZDwvYj4gcG9zdHNjcmlwdA==\r\n\
--x1\r\nContent-Type: application/pdf; name=a.pdf\r\n\
Content-Disposition: attachment; filename=\"offer.pdf\"\r\n\
Content-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--x1--\r\n";
