// Reads the report behind a GitHub address with a personal token (or none), for the command line.
import type { AddressedReport, ReadReportAddress } from '../core/report.ts';
import { createGithubClient, type GithubClient, type GithubOptions } from './github-client.ts';
import { readFailedJob, readFailedRun } from './read-failed-run.ts';
import { readIssue } from './read-issue.ts';
import { parseReportAddress, type ReportAddress } from './report-address.ts';

/** The reader of issue, run and job addresses under `webUrl`. */
export function createAddressReader(options: GithubOptions): ReadReportAddress {
  const client = createGithubClient(options);
  return async (url, signal) => await read(client, parseReportAddress(url, options.webUrl), signal);
}

async function read(client: GithubClient, address: ReportAddress, signal: AbortSignal): Promise<AddressedReport> {
  switch (address.kind) {
    case 'issue':
      return await readIssue(client, address, signal);
    case 'run':
      return await readFailedRun(client, address, signal);
    case 'job':
      return await readFailedJob(client, address, signal);
  }
}
