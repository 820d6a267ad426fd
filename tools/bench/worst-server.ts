/** The server under the worst bodies, in a process of its own: what holds its event loop up is then its own doing. */
import { startServerOfAll } from './growing/server.ts'

const { url } = await startServerOfAll()
let longest = 0
let last = performance.now()
let used = process.cpuUsage()
let lastUsed = used

/** Microseconds of processor time between two readings. */
const between = (from: NodeJS.CpuUsage, to: NodeJS.CpuUsage): number =>
  to.user + to.system - from.user - from.system

/**
 * Turns without a pause: between two of them stands whatever else the event loop had to do. A turn is as long as the processor
 * worked in it, for other programs take the processor, too.
 */
function turn(): void {
  const now = performance.now()
  const nowUsed = process.cpuUsage()
  longest = Math.max(longest, Math.min(now - last, between(lastUsed, nowUsed) / 1000))
  last = now
  lastUsed = nowUsed
  if (probing) setImmediate(turn)
}

/** The loop turns only while something is measured: the processor is free otherwise. */
let probing = false
process.on('message', (message) => {
  const cpuMs = between(used, process.cpuUsage()) / 1000
  process.send?.({ delayMs: longest, cpuMs, rss: process.memoryUsage.rss() })
  longest = 0
  used = process.cpuUsage()
  lastUsed = used
  last = performance.now()
  probing = message === 'begin'
  if (probing) setImmediate(turn)
})
process.send?.({ url })
