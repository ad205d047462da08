// Logs of Buildkite, CircleCI and Jenkins, read with the operator's token for each origin.
export { examineBuildHost } from './client.ts';
export { parseBuildHosts } from './config.ts';
export { createBuildLogs } from './read-build-log.ts';
