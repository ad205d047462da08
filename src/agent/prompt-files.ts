// The words that the model is given, read once from the files in prompt/.
import { readFileSync } from 'node:fs';

/** Byte-identical in every run, so that endpoints can cache it. */
export const SYSTEM_TEXT = promptFile('system');
export const NUDGE = promptFile('nudge');
export const CONCLUDE_SOON = promptFile('conclude-soon');
export const CONCLUDE_NOW = promptFile('conclude-now');

function promptFile(name: string): string {
  return readFileSync(new URL(`./prompt/${name}.md`, import.meta.url), 'utf8')
    .replaceAll('\r\n', '\n')
    .trim();
}
