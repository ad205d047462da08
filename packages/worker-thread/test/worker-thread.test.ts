// One thread, replaced when it does not answer.
import { expect, it } from 'vitest';
import { WorkerClient, WorkerClosed } from '../src/index.ts';

const SCRIPT = new URL('./answering-thread.ts', import.meta.url);
const PATIENT_MS = 60_000;

function openThread() {
  return new WorkerClient<{ number: number; order?: string }, { twice: number }>({ script: SCRIPT, closed: 'Closed.' });
}

it('answers each request, in their order', async () => {
  await using thread = openThread();
  const answers = await Promise.all([1, 2, 3].map((number) => thread.ask({ number }, PATIENT_MS)));
  expect(answers.map((answer) => answer?.twice)).toEqual([2, 4, 6]);
});

it.each(['throw', 'exit', 'hang'])(
  'answers null where the thread is told to %s, and the next request by another one',
  async (order) => {
    await using thread = openThread();
    expect(await thread.ask({ number: 1 }, PATIENT_MS)).toMatchObject({ twice: 2 });
    expect(await thread.ask({ number: 2, order }, order === 'hang' ? 200 : PATIENT_MS)).toBeNull();
    expect(await thread.ask({ number: 3 }, PATIENT_MS)).toMatchObject({ twice: 6 });
  },
);

it('rejects what is asked after it was closed', async () => {
  const thread = openThread();
  await thread[Symbol.asyncDispose]();
  await expect(thread.ask({ number: 1 }, PATIENT_MS)).rejects.toThrow(WorkerClosed);
});
