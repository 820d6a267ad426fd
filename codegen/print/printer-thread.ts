/** The worker thread of `printer.ts`: prints the modules of each message, in their order. */
import { parentPort } from 'node:worker_threads'
import type { ModuleArtefact } from '../emit/artefact.ts'
import { print } from './print.ts'

parentPort?.on('message', (modules: readonly ModuleArtefact[]) =>
  parentPort?.postMessage(modules.map(print)),
)
