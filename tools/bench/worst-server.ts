/** The server under the worst bodies, in a process of its own: what holds its event loop up is then its own doing. */
import { startControlPlane } from '../../runtime/testing/testing.ts'

const plane = await startControlPlane({ socket: true })
let longest = 0
let last = performance.now()
let used = process.cpuUsage()

/** Turns without a pause: between two of them stands whatever else the event loop had to do. */
function turn(): void {
  const now = performance.now()
  longest = Math.max(longest, now - last)
  last = now
  if (probing) setImmediate(turn)
}

/** The loop turns only while something is measured: the processor is free otherwise. */
let probing = false
process.on('message', (message) => {
  const { user, system } = process.cpuUsage(used)
  const cpuMs = (user + system) / 1000
  process.send?.({ delayMs: longest, cpuMs, rss: process.memoryUsage.rss() })
  longest = 0
  used = process.cpuUsage()
  last = performance.now()
  probing = message === 'begin'
  if (probing) setImmediate(turn)
})
process.send?.({ url: plane.url })
