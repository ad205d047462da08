// The text files that people attached to an issue, within 5 MiB and a deadline together.

import { keepBeginning } from '../../core/cut-text.ts';
import type { GithubProject } from '../../core/project.ts';
import { findAttachments } from './find-attachments.ts';
import type { GatherDeps } from './gather-deps.ts';
import { readAttachment } from './read-attachment.ts';

const TOGETHER_BYTES = 5 * 1024 * 1024;
/** Of each, so that one does not push the others out of the report. */
const SHOWN_BYTES = 256 * 1024;
const DEADLINE_MS = 20_000;

/** One part for each file, in the order of the links; of a file that is not read, why. */
export async function attachedTexts(
  deps: GatherDeps,
  project: GithubProject,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const parts: string[] = [];
  let left = TOGETHER_BYTES;
  for (const { url, name, isText } of findAttachments(texts.join('\n'), { webUrl: deps.webUrl, project })) {
    if (!isText || left <= 0) {
      parts.push(
        `[Attached file ${name} was not read: ${isText ? 'there were 5 MiB before it' : 'it is no text file'}]`,
      );
      continue;
    }
    const read = await readAttachment(deps, { project, url, limit: left }, { signal, deadline });
    if (read.kind === 'text') left -= read.bytes;
    parts.push(read.kind === 'text' ? shown(name, read) : `[Attached file ${name} was not read: ${read.reason}]`);
  }
  return parts;
}

function shown(name: string, { text, isCut }: { readonly text: string; readonly isCut: boolean }): string {
  const more = isCut ? '\n[What came after was not read]' : '';
  return `Attached file ${name}:\n\n${keepEnds(text, SHOWN_BYTES)}${more}`;
}

/** Beginning and end of a text, where logs say what was run and what became of it. */
function keepEnds(text: string, bytes: number): string {
  const all = Buffer.from(text);
  if (all.length <= bytes) return text;
  const beginning = keepBeginning(text, Math.floor(bytes / 4)).replace(/\n\[\d+ bytes more were left out\]$/, '');
  const from = all.indexOf(0x0a, all.length - Math.floor((bytes * 3) / 4)) + 1 || all.length;
  const omitted = from - Buffer.byteLength(beginning);
  return `${beginning}\n[${omitted} bytes were left out here]\n${all.subarray(from).toString()}`;
}
