// Signing in with GitHub.
export { createGithubSignIn, createMayEnter } from './create-github-sign-in.ts';
