import { setFlagsFromString } from 'node:v8'

/**
 * Has the memory of this process collected once `growth` percent more is in use than after the last time, where the engine waits for up to
 * 300 %. A server that is written to holds bytes outside of the heap, which go with its objects only. And has what is made begin among
 * the young: where objects were stored, the engine would make later ones of the same lines of code old at once, and each such part of
 * a request holds the rest of it until all memory is collected. Called before the program does its work.
 */
export function collectEarly(growth = 130): void {
  setFlagsFromString(`--heap-growing-percent=${growth}`)
  setFlagsFromString('--no-allocation-site-pretenuring')
}
