// A voice memo: shown where the model hears. What is recorded is attached like any other file, and sent with the question.

import { useEffect, useRef, useState } from 'preact/hooks';
import { say } from '../notice.js';
import { modelNamed, server } from '../server.js';
import { model } from '../settings.js';
import { Icon } from './Icon.jsx';

/** Seconds after which a recording ends by itself; a context holds some five minutes. */
const LONGEST = 300;

export function Recorder({ onRecorded }) {
  const [seconds, setSeconds] = useState(null);
  const recorder = useRef(null);
  useEffect(() => {
    if (seconds === null) return undefined;
    if (seconds >= LONGEST) recorder.current?.stop();
    const timer = setTimeout(() => setSeconds(seconds + 1), 1000);
    return () => clearTimeout(timer);
  }, [seconds]);
  useEffect(() => () => recorder.current?.stop(), []);
  // Browsers give the microphone to safe origins only; elsewhere there is nothing to show.
  const hears = server.value && modelNamed(model.value)?.hears;
  if (!hears || !navigator.mediaDevices?.getUserMedia || !globalThis.MediaRecorder) return null;

  const start = async () => {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const pieces = [];
      const own = (recorder.current = new MediaRecorder(stream));
      own.ondataavailable = ({ data }) => pieces.push(data);
      own.onstop = () => {
        for (const track of stream.getTracks()) track.stop();
        recorder.current = null;
        setSeconds(null);
        const type = own.mimeType.split(';')[0] || 'audio/webm';
        const ending = type.includes('mp4') ? 'm4a' : type.includes('ogg') ? 'ogg' : 'weba';
        // A browser that records calls it video where it has only sound.
        onRecorded(new File(pieces, `voice memo.${ending}`, { type: type.replace('video/', 'audio/') }));
      };
      own.start();
      setSeconds(0);
    } catch {
      say('The microphone cannot be used: the browser or the person said no.', { kind: 'problem', seconds: 9 });
    }
  };
  if (seconds === null) {
    return <button type="button" class="quiet" aria-label="Record a voice memo" title="Record a voice memo" onClick={start}><Icon name="record" /></button>;
  }
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return (
    <button type="button" class="quiet recording" aria-label={`Stop recording, ${time}`} title="Stop recording" onClick={() => recorder.current?.stop()}>
      <Icon name="stop" />{time}
    </button>
  );
}
