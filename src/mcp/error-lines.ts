// What a program writes on standard error, in whole lines of bounded length and number: a secret is only known where it stands whole.
import { StringDecoder } from 'node:string_decoder';

const MAX_LINES = 200;
/** Of a longer line the rest is not looked at. */
const MAX_HELD = 8_192;

export interface ErrorLines {
  readonly onLine: (line: string) => void;
  /** Called once, when more is left out. */
  readonly onTooMany: () => void;
}

/** Takes the chunks of a stream as they come. */
export function errorLines({ onLine, onTooMany }: ErrorLines): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let [held, lines] = ['', 0];
  const tell = (line: string): void => {
    if (line.trim() === '' || lines > MAX_LINES) return;
    lines += 1;
    if (lines > MAX_LINES) onTooMany();
    else onLine(line);
  };
  return (chunk) => {
    if (lines > MAX_LINES) return;
    const [first = '', ...rest] = decoder.write(chunk).split('\n');
    held += first.slice(0, MAX_HELD - held.length);
    for (const line of rest) {
      tell(held);
      held = line.slice(0, MAX_HELD);
    }
  };
}
