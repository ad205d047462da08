// An investigation as people watch it: where it stands, its steps, what it costs, how it ended; and the button that stops it.
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../src/core/errors.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import type { FailureReason } from '../../src/core/reason.ts';
import type { Run } from '../../src/db/runs.ts';
import { contentOf, formsOf, formTo, linksOf, mainOf } from './read-page.ts';
import { repository, type WebGround, type WebGroundOptions, webGround } from './web-ground.ts';

async function running(options: WebGroundOptions = {}) {
  const ground = await webGround(options);
  const { investigationId, runId } = await ground.accepted();
  const run = await ground.store.startRun(runId, ground.clock.now.toISOString());
  return { ground, run: run!, path: `/investigations/${investigationId}` };
}

function disposing({ ground }: { readonly ground: WebGround }): WebGround {
  return ground;
}

async function takeStep(
  { store, clock }: WebGround,
  run: Run,
  action: string,
  result = 'found',
  analysis = '',
): Promise<void> {
  await store.recordStep(run, { action, result, analysis }, clock.now.toISOString());
}

const LIMITS = { run: 1e9, repository: 1e9, all: 1e9 };

/** A question to the model: money set aside, and where it was answered, what it cost (US dollars). */
async function ask(
  { store, clock }: WebGround,
  run: Run,
  { cost, tokens }: { readonly cost?: number; readonly tokens?: number } = {},
) {
  const now = clock.now.toISOString();
  await store.reserveMoney(run, { amount: 50_000, limits: LIMITS, now });
  if (cost === undefined) return;
  const spent = { prompt: (tokens ?? 0) - 100, cached: 0, completion: 100 };
  await store.settleMoney(run, { reserved: 50_000, spent: cost * 1_000_000, tokens: spent, now });
}

describe('the page of an investigation under way', () => {
  it('shows each step with its exact query, what it means, and its result folded, the newest at the end', async () => {
    const made = await running();
    await using ground = disposing(made);
    await takeStep(
      ground,
      made.run,
      'search "lastItem" in src/',
      'src/cart.ts:20: lastItem',
      'It is **used** once, see [step 2].',
    );
    await takeStep(
      ground,
      made.run,
      'read src/cart.ts:1-40',
      Array.from({ length: 90 }, (_, at) => `row ${at}`).join('\n'),
    );
    const page = await ground.visitor.page(made.path);
    const [first = '', second = ''] = [...page.matchAll(/<li id="step-\d"[^>]*>.*?<\/details>/gs)].map(
      ([item]) => item,
    );
    expect(contentOf(`<main>${first}</main>`)).toBe(
      'Step 1 search "lastItem" in src/ 1 line It is used once, see [step 2]. src/cart.ts:20: lastItem',
    );
    expect(first).toContain('<details id="result-1">');
    expect(linksOf(page)).toContainEqual({ href: '#step-2', words: '[step 2]' });
    expect(second).toContain('row 59</code>');
    expect(second).not.toContain('row 60');
    expect(second).toContain('characters are not shown.');
    expect(contentOf(page)).not.toContain('Latest');
    expect(page).toContain('<span class="spinner">');
  });

  it('is named by its report, and never by an id', async () => {
    await using ground = await webGround();
    const { investigationId } = await ground.accepted({ text: 'Checkout fails with `SAVE10`. It did not before.' });
    const page = await ground.visitor.page(`/investigations/${investigationId}`);
    expect(page).toContain('<h1>Checkout fails with <code>SAVE10</code>.</h1>');
    expect(page).toContain('<title>Checkout fails with SAVE10. · Causeway</title>');
    expect(contentOf(page)).not.toMatch(/(?:inv|run)_/);
  });

  it('follows it live with scripts', async () => {
    const made = await running();
    await using ground = disposing(made);
    expect(mainOf(await ground.visitor.page(made.path))).toContain(`<div id="live" data-live="${made.path}/live">`);
  });

  it('reloads without scripts only on request, and says how to stop it', async () => {
    const made = await running();
    await using ground = disposing(made);
    const offered = (page: string) =>
      linksOf(/<noscript><p.*?<\/noscript>/s.exec(page)?.[0].replace(/.*/s, '<main>$&</main>') ?? '');
    const page = await ground.visitor.page(made.path);
    expect(page).not.toContain('http-equiv="refresh"');
    expect(offered(page)).toEqual([
      { href: made.path, words: 'Reload' },
      { href: `${made.path}?follow=1`, words: 'Follow without scripts' },
    ]);
    const followed = await ground.visitor.page(`${made.path}?follow=1`);
    expect(followed).toContain('<noscript><meta http-equiv="refresh" content="5"></noscript>');
    expect(offered(followed)).toEqual([{ href: made.path, words: 'Stop following' }]);
  });

  it('says what it does now', async () => {
    await using ground = await webGround();
    const { investigationId, runId } = await ground.accepted();
    const words = async () =>
      /<strong role="status">(.*?)<\/strong>/.exec(
        await ground.visitor.page(`/investigations/${investigationId}`),
      )?.[1];
    expect(await words()).toBe('Waiting for its turn');
    const run = await ground.store.startRun(runId, ground.clock.now.toISOString());
    expect(await words()).toBe('Reading the report');
    await takeStep(ground, run!, 'read the report');
    expect(await words()).toBe('Searching the source');
    await ask(ground, run!, { cost: 0.01 });
    expect(await words()).toBe('Looking up what the model asked for');
    await ask(ground, run!);
    expect(await words()).toBe('Waiting for the model');
  });

  it('shows how long it takes, and what it has cost once it has cost anything', async () => {
    const made = await running();
    await using ground = disposing(made);
    const effort = async () => /data-since="[^"]*">(.*?)<\/span><\/p>/.exec(await ground.visitor.page(made.path))?.[1];
    ground.clock.now = new Date(ground.clock.now.getTime() + 14_000);
    await ask(ground, made.run);
    expect(await effort()).toBe('14 s</span>');
    await ask(ground, made.run, { cost: 0.1, tokens: 30_000 });
    await ask(ground, made.run, { cost: 0.02, tokens: 1_000 });
    expect(await effort()).toBe('14 s</span> · $0.12, 2 turns');
  });

  it('marks the phase that it is in, and keeps every attribute that an update in place would lose', async () => {
    const made = await running();
    await using ground = disposing(made);
    const phases = async () => {
      const [list = ''] = /<ol class="progress">.*?<\/ol>/s.exec(await ground.visitor.page(made.path)) ?? [];
      return [...list.matchAll(/<li class="(\w+)" aria-current="(\w+)">([^<]*)/g)].map(([, ...part]) => part.join(' '));
    };
    expect(await phases()).toEqual([
      ...['current step Read the report', 'coming false Search the source'],
      ...['coming false Ask the model', 'coming false Verify the answer'],
    ]);
    await takeStep(ground, made.run, 'find signals in the report');
    await ask(ground, made.run);
    expect(await phases()).toEqual([
      ...['done false Read the report', 'done false Search the source'],
      ...['current step Ask the model', 'coming false Verify the answer'],
    ]);
  });

  it.each([
    ['the operator offers no model', { modelName: null }],
    ['the repository wants none', { settings: { investigation: { ...DEFAULT_SETTINGS, useModel: false } } }],
  ])('speaks of no model and no cost where %s', async (_, options) => {
    const made = await running(options);
    await using ground = disposing(made);
    expect(contentOf(await ground.visitor.page(made.path))).not.toMatch(/model|\$|Cost/);
  });

  it('asks for a model as long as GitHub does not say whether the repository wants one', async () => {
    const made = await running({ settings: new CausewayError('github_failed', 'x') });
    await using ground = disposing(made);
    expect(contentOf(await ground.visitor.page(made.path))).toContain('Ask the model');
  });

  it('keeps what models and repositories say inert', async () => {
    const made = await running();
    await using ground = disposing(made);
    const evil = '<img src=x onerror=alert(1)>\u202E</pre>';
    await takeStep(ground, made.run, evil, evil, evil);
    const page = await ground.visitor.page(made.path);
    expect(page).not.toMatch(/<img|\u202E/);
    expect(contentOf(page)).toContain('<img src=x onerror=alert(1)></pre>');
  });
});

describe('stopping an investigation', () => {
  it('ends it, and the page says so', async () => {
    const made = await running();
    await using ground = disposing(made);
    expect(formTo(await ground.visitor.page(made.path), `${made.path}/stop`).buttons).toEqual(['Stop investigation']);
    const answer = await ground.visitor.post(`${made.path}/stop`);
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, `${made.path}?done=stopped`]);
    const page = await ground.visitor.page(`${made.path}?done=stopped`);
    expect(contentOf(page)).toContain('The investigation was stopped.');
    expect(contentOf(page)).toContain('Reason: cancelled');
    expect(formsOf(page)).toEqual([]);
    expect(page).not.toContain('data-live');
    const again = await ground.visitor.post(`${made.path}/stop`);
    expect(again.headers.get('Location')).toBe(`${made.path}?done=ended`);
  });

  it('is for people with triage: others see no button, and are refused', async () => {
    const made = await running({ repositories: [repository('octo/shop')] });
    await using ground = disposing(made);
    const reader = await ground.signIn('reader', 7, 'read');
    expect(formsOf(await reader.page(made.path))).toEqual([]);
    expect((await reader.post(`${made.path}/stop`)).status).toBe(403);
    expect((await reader.post(`${made.path}/stop`, {}, { formToken: null })).status).toBe(403);
    const triager = await ground.signIn('triager', 8, 'triage');
    expect((await triager.post(`${made.path}/stop`, {}, { formToken: 'x' })).status).toBe(403);
    expect((await ground.store.findInvestigation(made.path.slice('/investigations/'.length)))?.outcome.state).toBe(
      'running',
    );
    expect((await triager.post(`${made.path}/stop`)).status).toBe(303);
    const [entry] = await ground.store.listAuditEntries({
      accountId: '',
      projectIds: [ground.projects[0]!.id],
      limit: 1,
    });
    expect(entry).toMatchObject({ verb: 'investigation.cancelled', who: 'triager' });
  });
});

describe('the page of an investigation that has ended', () => {
  it('leads to its issue, unless only its steps are requested', async () => {
    await using ground = await webGround();
    const { investigationId, issueId } = await ground.concluded();
    const answer = await ground.visitor.get(`/investigations/${investigationId}`);
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, `/issues/${issueId}`]);
    const page = await ground.visitor.page(`/investigations/${investigationId}?steps=1`);
    expect(linksOf(page)).toContainEqual({ href: `/issues/${issueId}`, words: 'read the issue' });
    expect(page).not.toContain('http-equiv="refresh"');
  });

  it.each<[FailureReason['code'], string]>([
    ['revision_not_found', 'Submit it again with a branch, tag or commit that has been pushed.'],
    ['access_lost', 'Give the App access to the repository again'],
    ['internal', 'Submit the report again.'],
  ])('says why it gave up with %s, and what to do', async (code, words) => {
    const made = await running();
    await using ground = disposing(made);
    await ground.store.giveUp(made.run, { code, detail: 'No commit <b>v9</b>.' }, ground.clock.now.toISOString());
    const page = await ground.visitor.page(made.path);
    expect(contentOf(page)).toContain(`gave up No commit <b>v9</b>. Reason: ${code} ${words}`);
    expect(contentOf(page)).toContain('It ended before its first step.');
    expect(linksOf(page)).toContainEqual({
      href: `/projects/${ground.projects[0]!.id}/reports/new`,
      words: 'New report',
    });
  });

  it('is absent for people without access, in the same bytes as an unknown one', async () => {
    const made = await running({ repositories: [repository('octo/shop', { isPrivate: false })] });
    await using ground = disposing(made);
    const reader = await ground.signIn('reader', 7, 'read');
    for (const rest of ['', '/live']) {
      const foreign = await reader.get(`${made.path}${rest}`);
      const absent = await reader.get(`/investigations/inv_00000000000000000000${rest}`);
      expect([foreign.status, absent.status]).toEqual([404, 404]);
      expect(await foreign.text()).toBe(await absent.text());
    }
    expect((await reader.post(`${made.path}/stop`)).status).toBe(404);
  });
});
