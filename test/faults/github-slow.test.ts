// The long waits: GitHub that hangs or drips until we give up, and senders of one byte a second until they are cut off.
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { outcomeOf, SLOW_ANSWERS } from '../support/github-desk.ts';
import { openGithubStage, storedQueue } from '../support/github-stage.ts';

it('makes one comment where GitHub hangs or drips, before and after the work', async () => {
  await using stage = await openGithubStage();
  const came = await Promise.all(SLOW_ANSWERS.map((strange) => outcomeOf(stage, strange)));
  expect(came.map(({ comments }) => comments)).toEqual(SLOW_ANSWERS.map(({ comments }) => comments));
  expect((await storedQueue(stage.dataDir)).jobs.filter(({ state }) => state === 'dead')).toEqual([]);
});

it('cuts off whoever sends one byte a second, two hundred at once, and answers others meanwhile', async () => {
  await using stage = await openGithubStage();
  const url = new URL(stage.double.app.webhookUrl ?? '');
  const answers = Array.from({ length: 200 }, () => dripping(url));
  for (let second = 0; second < 20; second++) {
    const begun = performance.now();
    expect((await fetch(`${url.origin}/healthz`)).status).toBe(200);
    expect(performance.now() - begun).toBeLessThan(500);
    await wait(1_000);
  }
  for (const answer of await Promise.all(answers)) expect(answer).toContain('HTTP/1.1 408');
});

/** What came back, until the other side hung up. */
function dripping(url: URL): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(url.port), url.hostname, () => {
      const head = `POST ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\n`;
      socket.write(`${head}X-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\nContent-Length: 5000\r\n\r\n`);
    });
    const timer = setInterval(() => socket.write('{'), 1_000);
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}
