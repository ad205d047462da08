// `edits`: while a model edits, does anybody else wait? 300 edits of one file, and the longest answer of `/healthz` meanwhile.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { temporaryFolder } from '../support/service.ts';
import { type LocalService, openLocalService } from './local-service.ts';
import { keptRepository } from './made-repository.ts';
import type { Measurement } from './row.ts';

const TURNS = 25;
const EDITS_A_TURN = 12;
const FUNCTIONS = 600;
const FILE = 'src/edited.ts';

export const EDITS: Measurement = {
  name: 'edits',
  about: 'the longest answer of the service while a model makes 300 edits',
  async *measure(rounds) {
    const repository = await keptRepository(3_000);
    await using folder = await temporaryFolder();
    const script = path.join(folder.path, 'script.json');
    await writeFile(script, JSON.stringify(writeScript()));
    const ours: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await using local = await openLocalService(repository.gitDir, { env: { MODEL: `scripted:${script}` } });
      const { title, body } = repository.report(round);
      const investigation = await local.api.report({ projectId: local.projectId, data: `${title}\n\n${body}` });
      const ended = waitForEnd(local, investigation);
      ours.push(await measureLongestAnswer(`${local.service.address}/healthz`, ended));
      const { issueId, reason } = await ended;
      if (issueId === null) throw new Error(`the run ended without an Issue: ${JSON.stringify(reason)}`);
      const { usage } = (await local.api.issue(investigation)).analysis;
      if (usage.turns !== TURNS + 2) throw new Error(`the run took ${usage.turns} turns`);
    }
    yield { what: 'longest answer of `/healthz` while a model makes 300 edits', unit: 'ms', aim: 200, ours };
  },
};

/** The API itself waits for a minute at most. */
async function waitForEnd({ api }: LocalService, investigation: string) {
  for (;;) {
    const answer = await api.end(investigation);
    if (answer.state !== 'queued' && answer.state !== 'running') return answer;
  }
}

async function measureLongestAnswer(url: string, until: Promise<unknown>): Promise<number> {
  let [longest, isOver] = [0, false];
  const over = () => {
    isOver = true;
  };
  until.then(over, over);
  while (!isOver) {
    const begun = performance.now();
    await (await fetch(url)).text();
    longest = Math.max(longest, performance.now() - begun);
    await wait(5);
  }
  return longest;
}

/** A file of 600 functions, then one line of another function in each edit. */
function writeScript(): object {
  const body = (row: number, word: string) => `  return ${word}${row} * ${row};`;
  const lines = Array.from({ length: FUNCTIONS }, (_, row) => [
    `export function compute${row}(first${row}: number, second${row}: number): number {`,
    `  if (second${row} > ${row}) return ${row};`,
    body(row, 'first'),
    '}\n',
  ]);
  const create = { name: 'create_file', arguments: { path: FILE, content: lines.flat().join('\n') } };
  const edits = Array.from({ length: TURNS }, (_, turn) => ({
    tool_calls: Array.from({ length: EDITS_A_TURN }, (_, edit) => {
      const row = (turn * EDITS_A_TURN + edit) * 2;
      return { name: 'replace', arguments: { path: FILE, old: body(row, 'first'), new: body(row, 'second') } };
    }),
  }));
  const conclusion = {
    ...{ outcome: 'inconclusive', problem: 'The job stops.', rootCause: [], stepsToReproduce: [], solutionSteps: [] },
    ...{ questions: [], suspects: [], ruledOut: [], fixedBy: [] },
  };
  const conclude = { content: 'That is all.', tool_calls: [{ name: 'conclude', arguments: conclusion }] };
  return { turns: [{ tool_calls: [create] }, ...edits, conclude] };
}
