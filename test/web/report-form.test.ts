// A report by form: handed in once, on the road of the API, and nothing typed is lost.
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../src/core/errors.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import { faultOf, fieldOf, linkOf, textOf } from './read-text.ts';
import { repository, type Visitor, type WebGround, webGround } from './web-ground.ts';

function formOf({ projects }: WebGround): string {
  return `/projects/${projects[0]!.id}/reports/new`;
}

type Fields = Readonly<Record<string, string>>;

/** Fills in the form and sends it, as often as wanted. */
async function filledIn(ground: WebGround, fields: Fields, visitor: Visitor = ground.visitor) {
  const key = fieldOf(await visitor.page(formOf(ground)), 'form_key') ?? '';
  const send = (other: Fields = {}) =>
    visitor.post(`/projects/${ground.projects[0]!.id}/reports`, { form_key: key, ...fields, ...other });
  return { key, send };
}

async function sent(ground: WebGround, fields: Fields, visitor: Visitor = ground.visitor): Promise<Response> {
  return (await filledIn(ground, fields, visitor)).send();
}

async function investigationsOf({ store }: WebGround) {
  return store.listInvestigations({ limit: 10 });
}

/** The run behind the answer's investigation, as a worker gets it. */
async function runOf(ground: WebGround, answer: Response) {
  const id = /^\/investigations\/(inv_\w+)$/.exec(answer.headers.get('Location') ?? '')?.[1] ?? '';
  const investigation = await ground.store.findInvestigation(id);
  return ground.store.startRun(investigation?.runId ?? '', ground.clock.now.toISOString());
}

describe('the form of a report', () => {
  it('submits what was typed, and leads to its investigation', async () => {
    const settings = { ...DEFAULT_SETTINGS, language: 'de' };
    await using ground = await webGround({ settings: { investigation: settings } });
    const fields = { text: 'TypeError: x is undefined\r\n  at cart.ts:3', revision: ' v1.2 ', reference: 'alert-4711' };
    const answer = await sent(ground, fields);
    expect(answer.status).toBe(303);
    const run = await runOf(ground, answer);
    expect(run).toMatchObject({
      ...{
        text: 'TypeError: x is undefined\n  at cart.ts:3',
        revision: 'v1.2',
        fresh: false,
        isTrusted: true,
        settings,
      },
    });
    const [investigation] = await investigationsOf(ground);
    expect(investigation).toMatchObject({
      ...{ origin: 'api', reference: 'alert-4711', accountId: ground.visitor.account.id },
    });
  });

  it('submits nothing where the disk is nearly full, says so, and keeps what was typed', async () => {
    await using ground = await webGround({ shortage: { free: 19 * 1024 ** 2, required: 100 * 1024 ** 2 } });
    const answer = await sent(ground, { text: 'TypeError: typed by hand' });
    expect(answer.status).toBe(503);
    const page = await answer.text();
    expect(page).toContain('Nothing was accepted: not enough disk space (19 MiB free, 100 MiB required)');
    expect(page).toContain('TypeError: typed by hand');
    expect(await investigationsOf(ground)).toEqual([]);
  });

  it('goes the road of the API: secrets are cut out, NUL is replaced, equal reports share a run unless wished otherwise', async () => {
    await using ground = await webGround();
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
    const text = `boom\0 with ${secret}`;
    const first = await sent(ground, { text });
    const second = await sent(ground, { text });
    const third = await sent(ground, { text, fresh: 'yes' });
    const [anew, joined, begun] = await investigationsOf(ground);
    expect([joined?.runId === begun?.runId, anew?.runId === begun?.runId]).toEqual([true, false]);
    expect(new Set([first, second, third].map((answer) => answer.headers.get('Location'))).size).toBe(3);
    const run = await runOf(ground, first);
    expect(run?.text).toContain('boom\uFFFD with ');
    expect(run?.text).not.toContain(secret);
  });

  it('trusts the text of a person with write, and of no other', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const triager = await ground.signIn('tina', 12, 'triage');
    const writer = await ground.signIn('wim', 13, 'write');
    expect((await runOf(ground, await sent(ground, { text: 'one' }, triager)))?.isTrusted).toBe(false);
    expect((await runOf(ground, await sent(ground, { text: 'two' }, writer)))?.isTrusted).toBe(true);
  });

  it('says what it may cost, or that no model is configured', async () => {
    await using asked = await webGround();
    await using unasked = await webGround({ modelName: null });
    expect(textOf(await asked.visitor.page(formOf(asked)))).toContain('costs at most $1.00');
    expect(textOf(await unasked.visitor.page(formOf(unasked)))).toContain('search results only, free of charge');
  });
});

describe('a form sent more than once', () => {
  it('makes one investigation of a double click, and leads to it both times', async () => {
    await using ground = await webGround();
    const { send } = await filledIn(ground, { text: 'boom' });
    const answers = await Promise.all([send(), send()]);
    const again = await send();
    const places = [...answers, again].map((answer) => [answer.status, answer.headers.get('Location')]);
    expect(new Set(places.map(String)).size).toBe(1);
    expect(places[0]?.[0]).toBe(303);
    expect(await investigationsOf(ground)).toHaveLength(1);
  });

  it('asks again where a form is sent a second time with different text', async () => {
    await using ground = await webGround();
    const { key, send } = await filledIn(ground, { text: 'boom' });
    await send();
    const asked = await send({ text: 'bang' });
    const page = await asked.text();
    expect(asked.status).toBe(409);
    expect(textOf(page)).toContain('already submitted with different text');
    expect(fieldOf(page, 'text')).toBe('bang');
    expect(await investigationsOf(ground)).toHaveLength(1);
    const newKey = fieldOf(page, 'form_key') ?? '';
    expect(newKey).not.toBe(key);
    expect((await send({ text: 'bang', form_key: newKey })).status).toBe(303);
    expect(await investigationsOf(ground)).toHaveLength(2);
  });
});

describe('what is refused', () => {
  it('is named next to its field, all at once, and what was typed stays', async () => {
    await using ground = await webGround();
    const reference = 'r'.repeat(201);
    const answer = await sent(ground, { text: ' \n\t', revision: 'main\u0007', reference, fresh: 'yes' });
    const page = await answer.text();
    expect(answer.status).toBe(400);
    expect(textOf(page)).toContain('Nothing was submitted');
    expect(faultOf(page, 'text')).toBe('This is empty: describe what goes wrong, or paste the log.');
    expect(faultOf(page, 'revision')).toContain('control character');
    expect(faultOf(page, 'reference')).toBe('This has 201 characters; the limit is 200. Shorten it.');
    expect(page).toMatch(/<textarea [^>]*aria-invalid="true" aria-describedby="text-fault text-hint"/);
    expect([fieldOf(page, 'text'), fieldOf(page, 'reference')]).toEqual([' \n\t', reference]);
    expect(page).toMatch(/<input [^>]*name="fresh"[^>]* checked/);
    expect(await investigationsOf(ground)).toEqual([]);
  });

  it('comes back as text, the first line end too', async () => {
    await using ground = await webGround();
    const text = '\n\n</textarea><script>alert(1)</script>&lt;';
    const page = await (await sent(ground, { text, reference: `"><b>${'r'.repeat(200)}` })).text();
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('<b>');
    expect(fieldOf(page, 'text')).toBe(text);
  });

  it('is a person who may only read; without access the page is absent', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const reader = await ground.signIn('rita', 11, 'read');
    const nobody = await ground.signIn('nora', 13, 'none');
    const path = `/projects/${ground.projects[0]!.id}/reports`;
    const answers = [
      await reader.get(formOf(ground)),
      await reader.post(path, { text: 'boom' }),
      await nobody.post(path, { text: 'boom' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 404]);
    expect(await answers[0]!.text()).toContain('needs the triage role');
    expect(await investigationsOf(ground)).toEqual([]);
  });

  it('waits while GitHub does not answer with the settings of the project, and what was typed stays', async () => {
    await using ground = await webGround({ settings: new CausewayError('github_failed', 'GitHub answered 502.') });
    const answer = await sent(ground, { text: 'boom' });
    const page = await answer.text();
    expect([answer.status, fieldOf(page, 'text')]).toEqual([503, 'boom']);
    expect(textOf(page)).toContain('GitHub is not answering, and nothing was submitted.');
    expect(await investigationsOf(ground)).toEqual([]);
  });

  it('is refused where 20 of the person have not ended in the project, and what was typed stays', async () => {
    await using ground = await webGround();
    const visitor = await ground.signIn('octocat', 583231, 'triage');
    const { key, send } = await filledIn(ground, { text: 'boom', fresh: 'on' }, visitor);
    for (let n = 0; n < 20; n++) {
      expect((await send({ form_key: `${key.slice(0, -2)}${n + 10}` })).status).toBe(303);
    }
    const answer = await send({ text: 'one more' });
    const page = await answer.text();
    expect([answer.status, fieldOf(page, 'text'), fieldOf(page, 'form_key')]).toEqual([429, 'one more', key]);
    expect(textOf(page)).toContain('20 reports of this account are unfinished in this project');
  });

  it('is too many in a minute, and what was typed stays', async () => {
    await using ground = await webGround({ limits: { callsPerMinute: 100, creationsPerMinute: 1 } });
    expect((await sent(ground, { text: 'one' })).status).toBe(303);
    const answer = await sent(ground, { text: 'two' });
    const page = await answer.text();
    expect([answer.status, fieldOf(page, 'text')]).toEqual([429, 'two']);
    expect(textOf(page)).toContain('try again in 60 s');
    expect(linkOf(page, 'Cancel')).toBe(`/projects/${ground.projects[0]!.id}`);
    ground.clock.now = new Date(ground.clock.now.getTime() + 61_000);
    expect((await sent(ground, { text: 'two' })).status).toBe(303);
  });
});
