// A log is an attack: on a fork nothing starts, and wherever it is shown nobody is called, nothing is loaded, closed or obeyed.

import { type Rendered, renderMarkdown } from 'causeway-github-double';
import { REDACTED } from 'causeway-redact';
import { expect, it } from 'vitest';
import { PLANTED } from '../../../packages/redact/test/planted.ts';
import { CHANGED_TESTS, type RedDesk, redStage } from '../../support/github-red-desk.ts';
import { COUPONS, jobLog, testLog } from '../../support/github-red-model.ts';
import { EVIL, HOSTILE_FAILING, HOSTILE_LINE, HOSTILE_PRINTED } from '../../support/hostile-log.ts';
import { placesWith } from '../../support/stored-text.ts';

const stage = redStage();

const ATTACK = testLog(HOSTILE_FAILING, { printed: HOSTILE_PRINTED });
const ANNOTATIONS = [{ path: 'src/coupons.js', startLine: 14, message: HOSTILE_LINE, title: HOSTILE_LINE }];
/** Names that a run gives its jobs, by the workflow file of whoever pushed it. */
const HOSTILE_RUN = { [HOSTILE_LINE]: { conclusion: 'failure', log: ATTACK, annotations: ANNOTATIONS } } as const;

function expectInert(shown: Rendered, name: string): void {
  expect([shown.mentions, shown.images, shown.issues]).toEqual([[], [], []]);
  const [web, own] = [`${stage.double.webUrl}/${name}/`, stage.service().address];
  expect(shown.links.filter((link) => !link.startsWith(web) && !link.startsWith(own))).toEqual([]);
  expect(shown.html).not.toMatch(/<(?:img|input|table|h[1-6]|blockquote)\b/);
}

function expectInertCheckRun(desk: RedDesk, sha: string): void {
  const { title, summary, text, run } = desk.checkRun(sha);
  const shown = (words: string) => renderMarkdown(words, { repository: desk.name, webUrl: stage.double.webUrl });
  for (const one of [shown(title), summary, text]) expectInert(one, desk.name);
  for (const { message, title: head } of run.annotations) expectInert(shown(`${head ?? ''}\n\n${message}`), desk.name);
  const texts = [run.output.summary, run.output.text].join('\n');
  expect(texts).toContain(EVIL);
  expect(texts).not.toMatch(/^(?:::|##\[)/m);
}

it('starts nothing and comments on nothing for a fork whose log is an attack; what the check run shows is inert', async () => {
  const desk = await stage.desk('corner/attacked');
  const { people } = stage.double;
  const first = people.openIssue(desk.name, { by: 'ola', title: 'The first' });
  const { number, sha } = await desk.forkPull(CHANGED_TESTS, { branch: 'fixes-#1-@nora', title: HOSTILE_LINE });
  await desk.run(sha, HOSTILE_RUN);
  expectInertCheckRun(desk, sha);
  expect([desk.begun(), desk.comments(number), desk.checkRun(sha).buttons]).toEqual([[], [], []]);
  expect([desk.writesBeside(), stage.writes('ola/attacked')]).toEqual([[], []]);
  expect([people.pulls(desk.name).length, first.state]).toEqual([1, 'open']);
});

it('shows the same log of somebody with write inertly, in comment and check run', async () => {
  const desk = await stage.desk('corner/attacked-within');
  const first = stage.double.people.openIssue(desk.name, { by: 'ola', title: 'The first' });
  const { number, sha } = await desk.pull();
  await desk.run(sha, HOSTILE_RUN);
  expectInertCheckRun(desk, sha);
  const [comment, ...more] = desk.comments(number);
  expect([comment === undefined, more]).toEqual([false, []]);
  if (comment !== undefined) expectInert(comment, desk.name);
  expect(comment?.body.match(/<!-- causeway thread=/g)).toHaveLength(1);
  expect(desk.begun()).toHaveLength(1);
  expect([first.state, stage.double.people.pulls(desk.name).length]).toEqual(['open', 1]);
});

it('shows it inertly in the pull request for a red default branch, which closes nothing when it is merged', async () => {
  const desk = await stage.desk('corner/attacked-main');
  const { people } = stage.double;
  const first = people.openIssue(desk.name, { by: 'ola', title: 'The first' });
  const message = `Work\n\n${HOSTILE_LINE}`;
  await people.push(desk.name, { by: 'mara', files: { 'A.md': 'a\n' } });
  await desk.run(await desk.tip(), { [HOSTILE_LINE]: 'success' });
  const sha = await people.push(desk.name, { by: 'mara', message, files: CHANGED_TESTS });
  // Closed by that person's own message.
  expect(first.state).toBe('closed');
  people.reopen(desk.name, first.number, 'ola');
  await desk.run(sha, HOSTILE_RUN);
  expectInertCheckRun(desk, sha);
  const fix = await stage.until('the pull request', () => people.pulls(desk.name)[0]);
  const ground = { repository: desk.name, webUrl: stage.double.webUrl };
  expectInert(renderMarkdown(fix.body ?? '', ground), desk.name);
  expect(fix.title).not.toMatch(/@nora|#1|evil/);
  await people.merge(desk.name, fix.number, 'mara');
  expect(first.state).toBe('open');
});

it('lets no secret of a log out: not to GitHub, not to the model, not into its records or its own log', async () => {
  const desk = await stage.desk('corner/secrets');
  const lines = PLANTED.flatMap(({ before, secret, after }) => `${before}${secret}${after}`.split('\n'));
  const { number, sha } = await desk.pull();
  const error = [...COUPONS.error.slice(0, 1), ...lines.slice(0, 8), ...COUPONS.error.slice(1)];
  const log = testLog({ ...COUPONS, error }, { printed: lines });
  const leaked = PLANTED[0]?.secret ?? '';
  await stage.double.people.reportCheck(desk.name, {
    ...{ sha, name: 'other', app: 'buildhouse', conclusion: 'failure' },
    output: { title: `Failed with ${leaked}`, summary: `error: token ${leaked} refused` },
    annotations: [{ path: 'src/delivery.js', startLine: 8, message: `RangeError: no fee for ${leaked}` }],
  });
  await desk.run(sha, {
    test: { conclusion: 'failure', log },
    build: { conclusion: 'failure', log: jobLog('npm ci', lines) },
  });
  const { run } = desk.checkRun(sha);
  const told = [
    ...[JSON.stringify(run.output), JSON.stringify(run.annotations)],
    ...desk.comments(number).map(({ body }) => body),
    ...stage.model.told(`Repository ${desk.name}, commit`),
    stage.service().output(),
  ].join('\n');
  expect(desk.comments(number)).toHaveLength(1);
  // What stood around them is there.
  expect(told.split(REDACTED).length).toBeGreaterThan(PLANTED.length);
  expect(await placesWith(stage.dataDir, 'machine git.example.test login ci')).not.toEqual([]);
  const pieces = PLANTED.map(({ kind, secret }) => [kind, pieceOf(secret)] as const);
  expect(pieces.filter(([, piece]) => told.includes(piece)).map(([kind]) => kind)).toEqual([]);
  const kept = await Promise.all(
    pieces.map(async ([kind, piece]) => [kind, await placesWith(stage.dataDir, piece)] as const),
  );
  expect(kept.filter(([, files]) => files.length > 0)).toEqual([]);
});

/** Enough of it to be sure, and to be of use: of several lines the middle one. */
function pieceOf(secret: string): string {
  const lines = secret.split('\n');
  return (lines[Math.floor(lines.length / 2)] ?? secret).slice(4, 28);
}
