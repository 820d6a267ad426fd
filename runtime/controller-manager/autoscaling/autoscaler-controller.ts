import {
  type HorizontalPodAutoscaler,
  horizontalPodAutoscalers,
} from '../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import { formatKey, objectKey } from '../../informer/informer.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { parseDuration } from '../../kernel/values/duration.ts'
import { again, done, type KeyController, watching } from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'
import { autoscalerMetrics } from './autoscaler-metrics.ts'
import { ClaimedPods } from './claimed-pods.ts'
import type { ScaleHistory } from './limit-replicas.ts'
import { type AutoscalerSettings, runAutoscaler } from './run-autoscaler.ts'

/**
 * Scales what autoscalers name by what its pods use, or by other metrics (T-07).
 *
 *   reads    HorizontalPodAutoscaler, Pod, the scale of any kind, metrics of other servers
 *   writes   HorizontalPodAutoscaler: status; the scale of any kind; Event
 *   wakes    every autoscaler once in a period, the first time a period after it is seen
 *   settles  never: what is used changes
 */
export function autoscalerController({
  name,
  concurrency = 5,
  configuration,
  gates,
  platform,
  metrics,
}: BuildContext): readonly KeyController[] {
  const { HPAController: settings } = configuration
  const periodMs = parseDuration(settings.HorizontalPodAutoscalerSyncPeriod) ?? 0
  const ms = (duration: string) => parseDuration(duration) ?? 0
  const all: AutoscalerSettings = {
    api: platform.api,
    tolerance: settings.HorizontalPodAutoscalerTolerance,
    initializationMs: ms(settings.HorizontalPodAutoscalerCPUInitializationPeriod),
    readinessDelayMs: ms(settings.HorizontalPodAutoscalerInitialReadinessDelay),
    downWindowMs: ms(settings.HorizontalPodAutoscalerDownscaleStabilizationWindow),
    hasContainers: gates.has('HPAContainerMetrics'),
  }
  const known = new Map<string, { dueAt: number; history: ScaleHistory | undefined }>()
  const claimed = new ClaimedPods()
  const counts = autoscalerMetrics(metrics)
  return [
    {
      ...{ name, component: 'horizontal-pod-autoscaler', concurrency },
      watches: [
        watching(horizontalPodAutoscalers, (autoscaler) => [objectKey(autoscaler)], {
          fields: ['spec'],
          transform: (autoscaler) => autoscaler,
        }),
        watching(pods, () => [], { indexes: { namespace: 'metadata.namespace' } }),
      ],
      async reconcile(key, context) {
        const id = formatKey(key)
        const autoscaler: Stored<HorizontalPodAutoscaler> | undefined = context
          .cached(horizontalPodAutoscalers)
          .get(key)
        if (autoscaler === undefined) {
          known.delete(id)
          claimed.forget(id)
          return done
        }
        const now = context.clock.monotonic()
        const state = known.get(id) ?? { dueAt: now + periodMs, history: undefined }
        known.set(id, state)
        if (state.dueAt > now) return again(state.dueAt - now, 'its turn comes')
        state.dueAt = now + periodMs
        state.history = await runAutoscaler(autoscaler, state.history, {
          ...{ context, claimed, settings: all, counts },
        })
        return again(periodMs, 'what is used changes')
      },
    },
  ]
}
