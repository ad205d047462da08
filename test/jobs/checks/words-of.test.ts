// What a check says is cleaned whole: a part of a secret that an excerpt would show is one that no rule knows.
import { expect, it } from 'vitest';
import { wordsOf } from '../../../src/jobs/checks/words-of.ts';
import { headGround } from '../../support/head-ground.ts';

it('cleans log, output, annotations and the reason for no log', async () => {
  await using at = await headGround();
  const secret = 'hunter2-hunter2';
  const annotation = { path: 'a', line: 1, endLine: 1, level: 'failure', title: secret, message: secret } as const;
  const words = { noLog: secret, annotations: [annotation] };
  const check = at.run('test', 'red', { title: secret, summary: 's', text: secret, log: `a ${secret}\nb`, words });
  const { deps, project } = at;
  expect(await wordsOf({ deps, project, signal: new AbortController().signal }, check)).toEqual({
    output: '[redacted]\ns\n[redacted]',
    words: {
      log: 'a [redacted]\nb',
      noLog: '[redacted]',
      annotations: [{ ...annotation, title: '[redacted]', message: '[redacted]' }],
    },
  });
});
