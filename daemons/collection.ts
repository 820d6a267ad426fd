import { setFlagsFromString } from 'node:v8'

/**
 * Has the memory of this process collected once 2.3 times as much is in use, where the engine waits for up to four times as much:
 * a server that is written to holds bytes outside of the heap, which go with its objects only. And has what is made begin among
 * the young: where objects were stored, the engine would make later ones of the same lines of code old at once, and each such part of
 * a request holds the rest of it until all memory is collected. Called before the server starts.
 */
export function collectEarly(): void {
  setFlagsFromString('--heap-growing-percent=130')
  setFlagsFromString('--no-allocation-site-pretenuring')
}
