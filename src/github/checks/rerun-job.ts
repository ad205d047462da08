// Runs a failed job of GitHub Actions once more. GitHub counts the attempts of a workflow run: only the first one is
// followed by ours, so that a call that was repeated after a crash starts nothing twice.
import type { Rerun } from '../../core/check/index.ts';
import { openRepository, recoverFrom } from '../clients/index.ts';
import type { Inquiry } from './workflow-runs.ts';

export async function rerunJob({ deps, project, signal, read }: Inquiry, jobId: number): Promise<Rerun> {
  const job = await read(({ rest }, place) => rest.actions.getJobForWorkflowRun({ ...place, job_id: jobId }));
  const run = await read(({ rest }, place) => rest.actions.getWorkflowRun({ ...place, run_id: job.run_id }));
  if ((run.run_attempt ?? 1) > 1) return 'started_before';
  if (run.status !== 'completed') return 'running';
  const write = openRepository(deps, project, 'rerun', signal);
  return await recoverFrom<Rerun>(
    ['gone', 'refused'],
    async () => {
      await write(({ rest }, place) => rest.actions.reRunJobForWorkflowRun({ ...place, job_id: jobId }));
      return 'started';
    },
    () => 'refused',
  );
}
