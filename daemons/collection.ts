import { setFlagsFromString } from 'node:v8'

/**
 * Has the memory of this process collected once 2.3 times as much is in use, where the engine waits for up to four times as much:
 * a server that is written to holds bytes outside of the heap, which go with its objects only. Called before the server starts.
 */
export function collectEarly(): void {
  setFlagsFromString('--heap-growing-percent=130')
}
