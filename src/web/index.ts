// The account area: pages for people.
export { createWeb } from './create-web.ts';
export { createHighlighter } from './highlight.ts';
export { toIssueMarkdown } from './issue-exports.ts';
export { createSignInCode } from './sign-in.ts';
export type { SignInMethod, WebDeps } from './web-deps.ts';
