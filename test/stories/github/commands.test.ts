// Commands in comments: what they start, replace and stop, and what is none.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desk, openDesk } from '../../support/github-desk.ts';
import { type ShopModel, shopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let model: ShopModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await shopModel();
  stage = await openGithubStage({ env: model.env });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

it('takes guidance into the report and says 👀 on the comment that gave it', async () => {
  const desk = await openDesk(stage, 'corner/guided');
  const asked = desk.say('per', 'Happens to me too.\n\n/analyse Look at the lookup, not at the check.\nSince Tuesday.');
  await desk.comment('Cause found, with a fix');
  await stage.rest();
  expect([desk.reactions(asked), desk.reactions()]).toEqual([['eyes'], []]);
  const [told = ''] = model.told('Repository corner/guided ');
  expect(told).toContain('Guidance from per');
  expect(told).toContain('Look at the lookup, not at the check.\nSince Tuesday.');
  expect(told).toContain('Happens to me too.');
  expect(desk.shown(desk.ours()[0]?.body ?? '').text).toContain('/analyse retry');
});

it('stops at /analyse stop, says so, and starts again when asked again', async () => {
  const desk = await openDesk(stage, 'corner/stopped');
  const { asked, release } = model.hold('Repository corner/stopped ');
  desk.label('mara');
  const question = await asked;
  await desk.comment('Investigating');
  desk.say('per', '/analyse stop');
  await desk.comment('Stopped · comment');
  await question.closed;
  release();
  await stage.rest();
  expect([desk.ours().length, desk.pulls().length]).toEqual([1, 0]);
  expect(desk.shown(desk.ours()[0]?.body ?? '').text).toContain('Stopped with /analyse stop.');

  desk.say('mara', '/analyse');
  await desk.pull();
  await stage.rest();
  expect(desk.headlines()).toEqual([expect.stringContaining('Cause found, with a fix')]);
});

it('replaces the run in flight at /analyse retry: one comment, one result, of the later wish', async () => {
  const desk = await openDesk(stage, 'corner/retried');
  const { asked, release } = model.hold('Repository corner/retried ');
  desk.label('mara');
  const question = await asked;
  await desk.comment('Investigating');
  const again = model.hold('Only the lookup');
  desk.say('mara', '/analyse retry Only the lookup.');
  await again.asked;
  await question.closed;
  again.release();
  release();
  await desk.pull();
  await stage.rest();
  expect([desk.ours().length, desk.pulls().length]).toEqual([1, 1]);
  expect(desk.headlines()).toEqual([expect.stringContaining('Cause found, with a fix')]);
  const before = model.told('Repository corner/retried ').filter((told) => !told.includes('Only the lookup'));
  expect(before).toHaveLength(1);
});

it('looks again at an unchanged report when asked to retry, and not when asked to analyse', async () => {
  const desk = await openDesk(stage, 'corner/again');
  desk.say('per', '/analyse');
  await desk.comment('Cause found, with a fix');
  await stage.rest();
  const questions = model.told('Repository corner/again ').length;
  const [first] = desk.ours();
  stage.double.state.clock.advance(2_000);
  const same = desk.say('per', '/analyse');
  await stage.until('👀', () => desk.reactions(same).includes('eyes'));
  await stage.rest();
  expect(model.told('Repository corner/again ')).toHaveLength(questions);
  // The diagnosis is the same: nobody is told of it twice.
  expect(desk.ours().map(({ id }) => id)).toEqual([first?.id]);
  desk.say('per', '/analyse retry');
  await stage.until('more questions', () => model.told('Repository corner/again ').length > questions);
  await stage.rest();
  expect(desk.ours()).toHaveLength(1);
});

it('takes nothing for a command that is quoted, in code, hidden, within a line, or edited in afterwards', async () => {
  const desk = await openDesk(stage, 'corner/quoted');
  const { people } = stage.double;
  desk.say('mara', '> /analyse');
  desk.say('mara', '```\n/analyse\n```');
  desk.say('mara', '    /analyse');
  desk.say('mara', '<!--\n/analyse\n-->');
  desk.say('mara', 'Say /analyse and it looks; /analyses/today is a folder.');
  desk.say('mara', '/analyse-this');
  const edited = desk.say('mara', 'Thank you.');
  people.editComment(desk.name, edited.id, { by: 'mara', body: '/analyse' });
  people.edit(desk.name, desk.number, { by: 'mara', body: '/analyse' });
  await stage.rest();
  expect([desk.ours(), desk.reactions(), desk.reactions(edited), desk.writes()]).toEqual([[], [], [], []]);
  expect(model.told('Repository corner/quoted ')).toEqual([]);
});

it('opens a pull request for a writer who asks for it while the run of a triager goes on', async () => {
  const desk = await openDesk(stage, 'corner/joined');
  const { asked, release } = model.hold('Repository corner/joined ');
  desk.label('per');
  await asked;
  desk.say('mara', '/analyse fix');
  await stage.double.webhooks.settled();
  release();
  const pull = await desk.pull();
  await stage.rest();
  expect(pull.body).toContain('requested by `mara`');
  expect([desk.ours().length, desk.pulls().length]).toEqual([1, 1]);
});

/** What our comments on it say, and that there is one at most. */
function saidOn(desk: Desk): string {
  expect(desk.ours().length).toBeLessThan(2);
  return desk
    .ours()
    .map(({ body }) => desk.shown(body).text)
    .join();
}

it('asks back after a slip instead of starting a run, once, until an analysis takes the place of the question', async () => {
  const desk = await openDesk(stage, 'corner/slip');
  const slip = desk.say('mara', '/analyze fxi');
  await stage.until('a question', () => desk.ours().length > 0);
  await stage.rest();
  expect(saidOn(desk)).toContain('Did you mean /analyse fix? Nothing was started.');
  expect(desk.reactions(slip)).toEqual(['confused']);
  expect(model.told('Repository corner/slip ')).toEqual([]);
  const [question] = desk.ours();

  for (const [command, meant] of [
    ['/analyse sotp', '/analyse stop'],
    ['/analyse rety.', '/analyse retry'],
  ] as const) {
    desk.say('per', command);
    await stage.until(meant, () => desk.ours()[0]?.body.includes(meant));
  }
  await stage.rest();
  // Edited, so that nobody is notified again.
  expect(desk.ours().map(({ id }) => id)).toEqual([question?.id]);
  expect(model.told('Repository corner/slip ')).toEqual([]);

  desk.say('mara', '/analyse checkout fails');
  await desk.pull();
  await stage.rest();
  expect(saidOn(desk)).not.toContain('Did you mean');
  expect(desk.headlines()).toEqual([expect.stringContaining('Cause found, with a fix')]);
  const [told = ''] = model.told('Repository corner/slip ');
  expect(told).not.toContain('fxi');
});

it('says why a command is not carried out, in the footer of its comment, while it runs and after', async () => {
  const desk = await openDesk(stage, 'corner/refusals');
  const { asked, release } = model.hold('Repository corner/refusals ');
  desk.label('per');
  await asked;
  await desk.comment('Investigating');
  const early = desk.say('per', '/analyse fix');
  await stage.until('why', () => saidOn(desk).includes('/analyse fix needs write access'));
  expect(desk.reactions(early)).toEqual(['confused']);
  release();
  await desk.comment('Cause found, with a fix');
  await stage.rest();
  expect(saidOn(desk)).toContain('/analyse fix needs write access');

  stage.double.state.clock.advance(2_000);
  const late = desk.say('per', '/analyse stop');
  await stage.until('why', () => saidOn(desk).includes('nothing to stop'));
  expect(desk.reactions(late)).toEqual(['confused']);
  expect(saidOn(desk)).not.toContain('needs write access to this repository');

  stage.double.state.clock.advance(2_000);
  desk.say('mara', '/analyse fix');
  const pull = await desk.pull();
  await stage.rest();

  stage.double.state.clock.advance(2_000);
  const again = desk.say('mara', '/analyse fix');
  await stage.until('the link', () => saidOn(desk).includes('A pull request is already open'));
  await stage.rest();
  expect(desk.reactions(again)).toEqual(['confused']);
  expect(desk.ours()[0]?.body).toContain(`[#${pull.number}](`);
  expect(desk.pulls()).toHaveLength(1);
});

it('says that nothing runs in one short comment where there is none, and nothing to people without a role', async () => {
  const desk = await openDesk(stage, 'corner/idle');
  for (const command of ['/analyse stop', '/analyse fxi', '/analyse fix']) desk.say('ola', command);
  await stage.rest();
  expect(desk.writes()).toEqual([]);
  desk.say('per', '/analyse stop');
  desk.say('per', '/analyse stop');
  await stage.until('a word', () => desk.ours().length > 0);
  await stage.rest();
  expect(saidOn(desk)).toContain('Nothing is running here');
  expect(desk.writes().filter((write) => write.endsWith('/comments'))).toHaveLength(1);
});

it('takes a mention at the start of a line for /analyse, from people with the same roles, and no other for anything', async () => {
  const desk = await openDesk(stage, 'corner/mentioned');
  const { slug } = stage.double.app;
  const quiet = [
    desk.say('ola', `@${slug} look at this`),
    desk.say('per', `Does @${slug} know more?`),
    desk.say('per', `> @${slug} fix\n\nwhat does that do?`),
    desk.say('per', `\`@${slug} fix\``),
    desk.say('per', `@${slug} thanks!`),
  ];
  await stage.rest();
  expect([desk.writes(), model.told('Repository corner/mentioned ')]).toEqual([[], []]);
  const asked = desk.say('per', `I see it too.\n\n@${slug} please look at the lookup first.`);
  await desk.comment('Cause found, with a fix');
  await stage.rest();
  expect([...quiet, asked].map((one) => desk.reactions(one))).toEqual([...quiet.map(() => []), ['eyes']]);
  const told = model.told('Repository corner/mentioned ').at(-1) ?? '';
  expect(told).toContain('## Guidance from per\n\nlook at the lookup first.');
  expect(told).toContain('I see it too.');
  const refused = desk.say('per', `@${slug}[bot] fix`);
  await stage.rest();
  expect([desk.reactions(refused), desk.pulls()]).toEqual([['confused'], []]);
  desk.say('mara', `@${slug} fix`);
  await desk.pull();
  await stage.rest();
  expect(desk.ours()).toHaveLength(1);
});

it('analyses an Issue again by a call as by a comment: the answer takes the place of the old one', async () => {
  const desk = await openDesk(stage, 'corner/by-call');
  desk.label('per');
  await desk.comment('Cause found, with a fix');
  await stage.rest();
  const api = await stage.api('mara', 'pull-requests:write');
  const project = await api.project('corner/by-call');
  const [id = ''] = project.issueIds;
  const retry = (more: object) => api.post(`/api/v1/issues/${id}/retry/`, { guidance: 'Only the lookup.', ...more });
  expect((await retry({})).status).toBe(202);
  await desk.pull();
  await stage.rest();
  expect(model.told('Repository corner/by-call ').at(-1)).toContain('## Guidance from mara\n\nOnly the lookup.');
  expect([desk.ours().length, desk.headlines()]).toEqual([1, [expect.stringContaining('Cause found, with a fix')]]);
  const { issueIds } = await api.project('corner/by-call');
  expect(issueIds).toHaveLength(2);
  const again = await retry({ guidance: '' });
  expect([again.status, ((await again.json()) as { detail: string }).detail]).toEqual([
    409,
    expect.stringContaining(`analyse ${issueIds[0]}`),
  ]);
});
