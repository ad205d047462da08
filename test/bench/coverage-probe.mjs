// Loaded into the service by `npm run bench -- coverage`: at each SIGUSR2 it starts to count which functions run, or writes the counts.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

const file = process.env.COVERAGE_FILE;
if (isMainThread && file !== undefined) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  let isCounting = false;
  process.on('SIGUSR2', () => {
    isCounting = !isCounting;
    if (isCounting) {
      session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
      writeFileSync(`${file}.state`, 'started');
      return;
    }
    session.post('Profiler.takePreciseCoverage', (error, taken) => {
      writeFileSync(file, JSON.stringify(error === null ? taken.result : []));
      session.post('Profiler.stopPreciseCoverage');
      writeFileSync(`${file}.state`, 'ended');
    });
  });
}
