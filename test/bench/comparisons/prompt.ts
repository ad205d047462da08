// `prompt`: the tokens that a run sends to the model, beside the same with whole files pasted where we show parts of them.
import { estimatePrompt, estimateTokens } from '../../../src/agent/budget.ts';
import type { ModelRequest } from '../../../src/core/model.ts';
import { git } from '../../github-double/git/run-git.ts';
import { temporaryFolder } from '../../support/service.ts';
import type { Comparison } from '../comparison.ts';
import { type ScriptedRun, scriptedHouse } from '../scripted-run.ts';

const FILES = 3_000;
const TURNS = 15;
const AGAINST = 'the same with whole files pasted: of the suspects at first, of each read later';

export const PROMPT: Comparison = {
  name: 'prompt',
  about: 'tokens of the first prompt, and the share of all that an endpoint can cache, in a run of 15 turns',
  async *measure({ rounds: count }) {
    await using folder = await temporaryFolder();
    const searchPath = process.env['PATH'] ?? '';
    await using house = await scriptedHouse({ folder: folder.path, files: FILES, searchPath });
    const runs: { readonly ours: Tokens; readonly other: Tokens }[] = [];
    for (let round = 0; round < count; round++) {
      const run = await house.run(TURNS);
      runs.push({ ours: tokensOf(run.requests), other: await pasted(run, house.repository.gitDir) });
    }
    const of = (figure: keyof Tokens) => runs.map(({ ours, other }) => ({ ours: ours[figure], other: other[figure] }));
    yield {
      ...{ what: `first prompt, ${FILES} files`, against: AGAINST, unit: 'tokens', rounds: of('first') },
      aim: { kind: 'at-most', limit: 12_000 },
    };
    yield {
      what: `share of the prompt tokens of ${TURNS} turns that repeats what was sent before`,
      ...{ against: AGAINST, unit: '%', rounds: of('cacheable'), aim: { kind: 'at-least', limit: 90 } },
    };
  },
};

interface Tokens {
  readonly first: number;
  /** Per cent of all. */
  readonly cacheable: number;
}

/** Each request must begin as the one before did: else nothing of it is in the endpoint's cache. */
function tokensOf(requests: readonly ModelRequest[]): Tokens {
  const prompts = requests.map((request) => JSON.stringify(request.tools) + JSON.stringify(request.messages));
  const shared = prompts.slice(1).map((prompt, at) => sharedPrefix(prompts[at] ?? '', prompt));
  const all = prompts.reduce((sum, prompt) => sum + prompt.length, 0);
  const cached = shared.reduce((sum, length) => sum + length, 0);
  const [first] = requests;
  return { first: first === undefined ? Number.NaN : estimatePrompt(first), cacheable: (100 * cached) / all };
}

function sharedPrefix(before: string, now: string): number {
  const longest = Math.min(before.length, now.length);
  let length = 0;
  while (length < longest && before.charCodeAt(length) === now.charCodeAt(length)) length += 1;
  return length;
}

/** The same messages, to each of which the files are added that it is about. */
async function pasted({ issue, requests }: ScriptedRun, gitDir: string): Promise<Tokens> {
  const [first] = requests;
  const suspects = [...new Set(issue.analysis.suspects.map(({ file }) => file))];
  const text = async (file: string) => await git(gitDir, ['show', `main:${file}`]);
  const atFirst = (await Promise.all(suspects.map(text))).join('');
  const firstTokens = (first === undefined ? 0 : estimatePrompt(first)) + estimateTokens(atFirst);
  const prompts = [firstTokens];
  const last = requests.at(-1)?.messages ?? [];
  for (const message of last) {
    if (message.role !== 'assistant') continue;
    const files = message.toolCalls.flatMap((call) => (call.name === 'read_files' ? pathsIn(call.arguments) : []));
    const read = (await Promise.all(files.map(text))).join('');
    prompts.push((prompts.at(-1) ?? 0) + estimateTokens(JSON.stringify(message)) + estimateTokens(read));
  }
  const all = prompts.reduce((sum, tokens) => sum + tokens, 0);
  // All but what is new each time: a conversation is only appended to.
  return { first: firstTokens, cacheable: (100 * (all - (prompts.at(-1) ?? 0))) / all };
}

function pathsIn(args: string): readonly string[] {
  const { files = [] }: { readonly files?: readonly { readonly path: string }[] } = JSON.parse(args);
  return files.map(({ path }) => path);
}
