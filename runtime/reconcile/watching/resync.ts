import { formatKey } from '../../informer/informer.ts'
import type { Random } from '../../kernel/async/clock.ts'
import type { KeyController } from '../controller/key-controller.ts'
import type { Queue } from '../queue/queue.ts'

/** How much sooner or later than asked for a key comes again: many objects do not come at the same time. */
const jitter = 0.2

/** The controller, whose keys come again some time after each run that was done, if it wants that. */
export function withResync(controller: KeyController, queue: Queue, random: Random): KeyController {
  const { resyncMs } = controller
  if (resyncMs === undefined) return controller
  return {
    ...controller,
    async reconcile(key, context) {
      const outcome = await controller.reconcile(key, context)
      const ms = resyncMs * (1 + jitter * (2 * random() - 1))
      if (outcome.is === 'done') queue.addAfter(formatKey(key), ms, 'routine')
      return outcome
    },
  }
}
