// What the receiver takes, what it refuses, and that "202" means stored.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../../src/core/errors.ts';
import { delivery, labelled, reception, SECRET, signatureOf } from './signed-delivery.ts';

const BODY = JSON.stringify(labelled());
const DIGEST = signatureOf(BODY).slice('sha256='.length);

function streamed(chunks: AsyncIterable<Uint8Array>, headers: Readonly<Record<string, string>>): Request {
  const init = { method: 'POST', headers, body: ReadableStream.from(chunks), duplex: 'half' };
  return new Request('http://127.0.0.1/api/github/webhooks', init as RequestInit);
}

const FORM = {
  'Content-Type': 'application/json',
  'X-GitHub-Event': 'issues',
  'X-GitHub-Delivery': 'd-1',
  'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}`,
};

describe('a delivery with a good signature', () => {
  it('is stored with its job before it is acknowledged', async () => {
    await using house = await reception();
    const answer = await house.receive(delivery(BODY, { id: 'd-1' }));
    expect(answer.status).toBe(202);
    expect(await house.jobs()).toEqual([['delivery', 'd-1', 'repository 42 issue 1']]);
    expect(await house.store.findDelivery('d-1')).toMatchObject({ id: 'd-1', event: 'issues', body: BODY });
  });

  it('is a person’s where a person did something, and nobody’s where machines tell of checks and pushes', async () => {
    await using house = await reception();
    const { issue, label: _, ...rest } = labelled();
    const other = { ...rest, installation: { id: 6 } };
    const check = { ...other, action: 'completed', check_run: { id: 1 } };
    await house.receive(delivery(check, { event: 'check_run' }));
    await house.receive(delivery({ ...other, action: 'completed', check_suite: {} }, { event: 'check_suite' }));
    await house.receive(delivery({ ...other, commit: {}, sha: '1', state: 'failure' }, { event: 'status' }));
    const pushed = { repository: { id: 42 }, installation: { id: 6 }, pusher: { name: 'ada' }, ref: 'refs/heads/main' };
    await house.receive(delivery(pushed, { event: 'push' }));
    await house.receive(delivery({ ...check, action: 'requested_action' }, { event: 'check_run' }));
    await house.receive(
      delivery({ ...rest, action: 'created', issue, comment: { id: 1 } }, { event: 'issue_comment' }),
    );
    await house.receive(delivery({ ...rest, action: 'synchronize', pull_request: {} }, { event: 'pull_request' }));
    const { installation: __, ...nobodys } = labelled();
    await house.receive(delivery(nobodys));
    expect(await house.places()).toEqual([
      ['check_run', 'automatic'],
      ['check_suite', 'automatic'],
      ['status', 'automatic'],
      ['push', 'automatic'],
      ['check_run', 'person'],
      ['issue_comment', 'person'],
      ['pull_request', 'person'],
      ['issues', 'person'],
    ]);
  });

  it('of access that was taken back waits for nothing but that person, whatever is told of an installation', async () => {
    await using house = await reception();
    const sender = { id: 7, login: 'ada' };
    const withdrawn = { action: 'revoked', sender };
    const suspended = { action: 'suspend', installation: { id: 5, account: { login: 'octo' } }, sender };
    await house.receive(delivery(suspended, { event: 'installation' }));
    await house.receive(delivery(withdrawn, { event: 'github_app_authorization' }));
    await house.receive(delivery({ ...withdrawn, installation: { id: 5 } }, { event: 'github_app_authorization' }));
    expect((await house.jobs()).map(([kind, , group]) => [kind, group])).toEqual([
      ['delivery', 'installation 5'],
      ['urgent-delivery', 'person 7'],
      ['urgent-delivery', 'person 7'],
    ]);
  });

  it('of access that was taken back counts again when it was given in between', async () => {
    await using house = await reception();
    const withdrawn = { action: 'revoked', sender: { id: 7, login: 'ada' } };
    const withdraw = (id: string) => house.receive(delivery(withdrawn, { id, event: 'github_app_authorization' }));
    await withdraw('d-1');
    await withdraw('d-2');
    expect(await house.jobs()).toHaveLength(1);
    house.clock.forward(10);
    await withdraw('d-3');
    expect(await house.jobs()).toHaveLength(2);
  });

  it('is one delivery however often it comes, even at once', async () => {
    await using house = await reception();
    const answers = await Promise.all(Array.from({ length: 100 }, () => house.receive(delivery(BODY, { id: 'd-1' }))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(await house.jobs()).toHaveLength(1);
  });

  it('is the same under another id, since the signature covers the body alone', async () => {
    await using house = await reception();
    await house.receive(delivery(BODY, { id: 'd-1' }));
    house.clock.forward(30 * 24 * 3_600);
    expect((await house.receive(delivery(BODY, { id: 'd-2' }))).status).toBe(202);
    expect(await house.jobs()).toHaveLength(1);
  });

  it('counts anew where the same bytes may be meant twice: a button pressed again a minute later', async () => {
    await using house = await reception();
    const pressed = {
      action: 'requested_action',
      check_run: { id: 1 },
      requested_action: { identifier: 'open_fix' },
      repository: { id: 42, owner: { login: 'octo' } },
      sender: { id: 7, login: 'ada' },
    };
    const press = (id: string) => house.receive(delivery(pressed, { id, event: 'check_run' }));
    await press('d-1');
    house.clock.forward(59);
    await press('d-2');
    expect(await house.jobs()).toHaveLength(1);
    house.clock.forward(2);
    await press('d-3');
    expect(await house.jobs()).toHaveLength(2);
  });

  it('may be signed with either secret during a rotation, and with the old one not longer', async () => {
    let secrets: readonly string[] = ['the new secret of this App, 32+ characters', SECRET];
    await using house = await reception({ secrets: () => secrets });
    expect((await house.receive(delivery(labelled(1)))).status).toBe(202);
    expect((await house.receive(delivery(labelled(2), { secret: secrets[0]! }))).status).toBe(202);
    secrets = secrets.slice(0, 1);
    expect((await house.receive(delivery(labelled(3)))).status).toBe(401);
    expect(await house.jobs()).toHaveLength(2);
  });

  it('is asked for again where it cannot be stored, and the answer says nothing of why', async () => {
    const acceptDelivery = () =>
      Promise.reject(new CausewayError('store_unusable', 'disk full at /var/lib/causeway: größer 🦊\r\nX-Evil: 1'));
    await using house = await reception({ store: { acceptDelivery } });
    const answer = await house.receive(delivery(BODY));
    expect(answer.status).toBe(503);
    expect(JSON.parse(await answer.text()).detail).toBe(
      'The delivery could not be stored. Causeway will request it again.',
    );
    expect(answer.headers.has('X-Evil')).toBe(false);
    expect(house.logged()).toContain('disk full');
  });
});

describe('a missing or wrong signature', () => {
  const wrong: Readonly<Record<string, string | undefined>> = {
    missing: undefined,
    empty: '',
    'another secret': signatureOf(BODY, 'development'),
    'another body': signatureOf(`${BODY} `),
    'in upper case': `sha256=${DIGEST.toUpperCase()}`,
    '63 characters': `sha256=${DIGEST.slice(1)}`,
    '65 characters': `sha256=${DIGEST}0`,
    'sha1 by name': `sha1=${DIGEST}`,
    'twice in one': `sha256=${DIGEST}, sha256=${DIGEST}`,
    'no prefix': DIGEST,
    'not ASCII': `sha256=${'é'.repeat(64)}`,
  };

  it.each(Object.entries(wrong))('is refused with the same answer: %s', async (_, signature) => {
    await using house = await reception();
    const answer = await house.receive(delivery(BODY, { headers: { 'X-Hub-Signature-256': signature } }));
    const absent = await house.receive(delivery(BODY, { headers: { 'X-Hub-Signature-256': undefined } }));
    expect(answer.status).toBe(401);
    expect(await answer.text()).toBe(await absent.text());
    expect([...answer.headers]).toEqual([...absent.headers]);
    expect(await house.jobs()).toEqual([]);
  });

  it('is refused where only SHA-1 is there, or two signatures', async () => {
    await using house = await reception();
    const old = { 'X-Hub-Signature-256': undefined, 'X-Hub-Signature': `sha1=${'0'.repeat(40)}` };
    expect((await house.receive(delivery(BODY, { headers: old }))).status).toBe(401);
    const two = delivery(BODY);
    two.headers.append('X-Hub-Signature-256', signatureOf(BODY));
    expect((await house.receive(two)).status).toBe(401);
  });

  it('is refused where an empty secret would match', async () => {
    await using house = await reception({ secrets: () => [''] });
    expect((await house.receive(delivery(BODY, { secret: '' }))).status).toBe(401);
  });

  it('is one line in the log a minute, which holds neither signature nor body', async () => {
    await using house = await reception();
    const send = () => house.receive(delivery(BODY, { secret: 'wrong' }));
    for (let sent = 0; sent < 50; sent++) await send();
    house.clock.forward(61);
    await send();
    expect(
      house
        .logged()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).count),
    ).toEqual([1, 50]);
    expect(house.logged()).not.toContain(signatureOf(BODY, 'wrong').slice(7));
    expect(house.logged()).not.toContain('Broken');
  });
});

describe('a body', () => {
  it('of 25 MiB is taken, and of one byte more refused before its end', async () => {
    await using house = await reception();
    const start = `{"action":"labeled","issue":{},"repository":{"id":1},"sender":{},"pad":"`;
    const full = Buffer.from(`${start}${'x'.repeat(25 * 1024 * 1024 - start.length - 2)}"}`);
    expect(full.length).toBe(25 * 1024 * 1024);
    expect((await house.receive(delivery(full))).status).toBe(202);
    let sent = 0;
    async function* endless() {
      for (; sent < 1_000; sent++) yield Buffer.alloc(1024 * 1024);
    }
    expect((await house.receive(streamed(endless(), FORM))).status).toBe(413);
    expect(sent).toBeLessThan(30);
  });

  it('that drips is cut at its deadline, and one that breaks off is refused', async () => {
    await using house = await reception({ limits: { deadlineMs: 40 } });
    async function* drip() {
      while (true) {
        yield Buffer.from(' ');
        await sleep(10);
      }
    }
    expect((await house.receive(streamed(drip(), FORM))).status).toBe(408);
    async function* broken() {
      yield Buffer.from('{');
      throw new Error('gone');
    }
    expect((await house.receive(streamed(broken(), FORM))).status).toBe(400);
    expect(await house.jobs()).toEqual([]);
  });

  it('that is large waits for another time where others fill the room, and a small one does not', async () => {
    await using house = await reception({ limits: { largeBodies: 1 } });
    const held = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    async function* large() {
      yield Buffer.alloc(2 * 1024 * 1024);
      taken.resolve();
      await held.promise;
    }
    const first = house.receive(streamed(large(), FORM));
    await taken.promise;
    expect((await house.receive(streamed(large(), FORM))).status).toBe(503);
    expect((await house.receive(delivery(BODY))).status).toBe(202);
    held.resolve();
    expect((await first).status).toBe(401);
    expect((await house.receive(streamed(large(), FORM))).status).toBe(401);
  });

  const malformed: Readonly<Record<string, string | Uint8Array>> = {
    null: 'null',
    'a number': '1',
    'a string': '"x"',
    'an array': '[]',
    nothing: '',
    'half an object': BODY.slice(0, -1),
    'two objects': `${BODY}${BODY}`,
    'a hundred thousand levels': '['.repeat(100_000),
    '65 levels': `{"a":${'['.repeat(64)}${']'.repeat(64)}}`,
    __proto__: BODY.replace('"action"', '"__proto__":{"polluted":true},"action"'),
    'an escaped __proto__': BODY.replace('"action"', '"\\u005f_proto__":{"polluted":true},"action"'),
    'invalid UTF-8': Buffer.concat([Buffer.from(BODY.slice(0, -2)), Buffer.from([0xff]), Buffer.from('"}')]),
    'a byte order mark': `\uFEFF${BODY}`,
  };

  it.each(Object.entries(malformed))('that is signed and malformed is refused: %s', async (_, body) => {
    await using house = await reception();
    const answer = await house.receive(delivery(body));
    expect(answer.status).toBe(400);
    expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
    expect(await house.jobs()).toEqual([]);
    expect('polluted' in {}).toBe(false);
  });
});

describe('the form of a request', () => {
  it.each(['application/x-www-form-urlencoded', 'text/plain', '', 'application/json+x'])(
    'must be JSON, and says how to set that: %j',
    async (type) => {
      await using house = await reception();
      const answer = await house.receive(delivery(BODY, { headers: { 'Content-Type': type } }));
      expect(answer.status).toBe(415);
      expect(await answer.text()).toContain('Content type');
    },
  );

  it.each(['', 'x'.repeat(101), '../x', 'a b', "d'; --"])('names the delivery well: %j', async (id) => {
    await using house = await reception();
    expect((await house.receive(delivery(BODY, { id }))).status).toBe(400);
    expect(await house.jobs()).toEqual([]);
  });

  it.each(['', '__PROTO__', '*', 'x'.repeat(10_000), 'issues.labeled', 'Issues'])(
    'names the event well: %j',
    async (event) => {
      await using house = await reception();
      expect((await house.receive(delivery(BODY, { event }))).status).toBe(400);
      expect(await house.jobs()).toEqual([]);
    },
  );

  it.each(['__proto__', 'constructor', 'error', 'hasownproperty', 'ping', 'workflow_run', 'an_event_to_come'])(
    'may name an event that we do not act on, which is not stored: %s',
    async (event) => {
      await using house = await reception();
      expect((await house.receive(delivery({ zen: 'Keep it simple.' }, { event }))).status).toBe(202);
      expect(await house.jobs()).toEqual([]);
    },
  );
});
