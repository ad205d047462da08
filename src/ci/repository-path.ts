// Paths of logs as paths of the repository: without the runner's own folder in front, nothing of the machine or of packages.

/** Folders that runners check the repository out into, up to its root. */
const WORKSPACES = [
  /^.*?\/(?:actions-runner\/)?_?work\/([^/]+)\/\1\//,
  /^\/__w\/[^/]+\/[^/]+\//,
  /^[a-zA-Z]:\/a\/[^/]+\/[^/]+\//,
  /^[a-zA-Z]:\/a\/\d+\/s\//,
  /^\/github\/workspace\//,
  /^\/home\/travis\/build\/[^/]+\/[^/]+\//,
  /^\/builds\/workspace\/[^/]+\//,
  /^\/builds\/[^/]+\/[^/]+\//,
  /^\/(?:home|root)\/circleci\/(?:project|repo)\//,
  /^\/root\/project\//,
  /^.*?\/jenkins(?:_home)?\/workspace\/[^/]+\//,
  /^\/home\/vsts\/work\/\d+\/s\//,
  /^\/(?:bitbucket|opt\/atlassian)\/pipelines\/agent\/build\//,
  /^\/drone\/src\//,
  /^\/(?:workspace|workdir|usr\/src\/app|app|src)\//,
];
const FOREIGN =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|vendor\/bundle|\.cargo|\.rustup|\.m2|\.gradle|\.npm|\.cache|\.venv|venv|hostedtoolcache|Python\.framework)\/|^(?:node:|native:)|^internal\/.{1,200}\.[cm]?js$|pkg\/mod\/|^(?:timers|module|events|domain|child_process|net|fs|stream|loader|async_hooks)\.js$/;

/** The path without the runner's own folder in front; null: not of the repository. */
export function repositoryPath(written: string): string | null {
  const slashed = written.replace(/\\/g, '/').replace(/^(?:\.\/)+/, '');
  const workspace = WORKSPACES.find((pattern) => pattern.test(slashed));
  const path = workspace ? slashed.replace(workspace, '') : slashed;
  if (path === '' || path.startsWith('/') || path.startsWith('~') || /^[A-Za-z]:/.test(path)) return null;
  return FOREIGN.test(path) || path.split('/').includes('..') ? null : path;
}
