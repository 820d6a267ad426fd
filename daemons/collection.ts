import { setFlagsFromString } from 'node:v8'

/**
 * Has the memory of this process collected once `growth` percent more is in use than after the last time, where the engine waits for up to
 * 300 %. A server that is written to holds bytes outside of the heap, which go with its objects only. And has what is made begin among
 * the young: where objects were stored, the engine would make later ones of the same lines of code old at once, and each such part of
 * a request holds the rest of it until all memory is collected. What is free while little happens is given back by one collection, where the
 * engine would begin up to three in a row. Called before the program does its work: the engine ends the process when that is said while such
 * collections are under way, which begin 8 seconds after the start of a process at the earliest, so a later call leaves it out.
 */
export function collectEarly(growth = 130): void {
  setFlagsFromString(`--heap-growing-percent=${growth}`)
  setFlagsFromString('--no-allocation-site-pretenuring')
  if (performance.now() > latestMs) return
  setFlagsFromString(
    nodeVersion < 22 ? '--memory-reducer-single-gc' : '--memory-reducer-gc-count=1',
  )
}

/** Milliseconds since the start of the process. */
const latestMs = 5000

/** The engine has its own names for its flags in each version, and tells of one that it does not know. */
const nodeVersion = Number.parseInt(process.versions.node, 10)
