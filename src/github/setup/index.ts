// The page on which an operator makes the App.
export { findPerson } from './find-person.ts';
export { appPage, createInstallPage, type MadeApp, wantedOfApp } from './make-app.ts';
export { createSetup } from './setup-mode.ts';
