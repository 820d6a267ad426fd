/** The server under the worst bodies, in a process of its own: what delays its event loop is then its own doing. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { startControlPlane } from '../../runtime/testing/testing.ts'

const plane = await startControlPlane({ socket: true })
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
process.on('message', (message) => {
  if (message === 'begin') delay.reset()
  process.send?.({ delayMs: delay.max / 1e6, rss: process.memoryUsage.rss() })
})
process.send?.({ url: plane.url })
