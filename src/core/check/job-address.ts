// The address of a job of GitHub Actions, as check runs and jobs have it.

interface JobAddress {
  readonly runId: number;
  /** GitHub's number of the job, and of its check run. */
  readonly jobId: number;
}

/** Null: it is another address. */
export function readJobAddress(url: string): JobAddress | null {
  const [, runId, jobId] = /\/actions\/runs\/(\d{1,15})\/job\/(\d{1,15})$/.exec(url) ?? [];
  return runId === undefined || jobId === undefined ? null : { runId: Number(runId), jobId: Number(jobId) };
}
