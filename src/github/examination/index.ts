// What an operator's App has and lacks, for `causeway doctor`.
export { type AppState, type HookAttempt, type HookState, readApp, readHook } from './read-app.ts';
