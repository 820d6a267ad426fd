/**
 * Recorder: what a controller did to an object, told to those who look at the object.
 *
 *  1. To record never waits and never fails: events that cannot be written are dropped, with a line in the log.
 *  2. Equal events are one, with a count; many similar ones become one that says so; an object about which a controller talks too much is
 *     told of seldom. All of it as clients of release 1.29 do.
 *  3. What is kept is bounded, whatever the number of objects.
 */

export { createRecorder, type Recorder, type RecorderOptions } from './create-recorder.ts'
export type { EventFacts } from './event-facts.ts'
