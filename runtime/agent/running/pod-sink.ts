import { type Pod, type PodStatus, pods } from '../../../generated/apis/core/v1/pod.ts'
import type { Client } from '../../client/client.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { EventFacts, Recorder } from '../../recorder/recorder.ts'

/** Where it is told what became of pods. */
export interface PodSink {
  /** The pod as it is told of now; undefined if it has changed meanwhile: who tells looks again. */
  tellStatus(pod: Stored<Pod>, status: PodStatus): Promise<Stored<Pod> | undefined>
  /** The pod that goes has ended. */
  remove(pod: Stored<Pod>): Promise<void>
  /** Its source does not have the pod any more, and nothing of it is left here. */
  forget(pod: Stored<Pod>): Promise<void>
  tellEvent(object: Stored<ApiObject>, facts: EventFacts): void
}

/** Tells a server. */
export function serverSink(client: Client, recorder: Recorder): PodSink {
  return {
    async tellStatus(pod, status) {
      try {
        return await client.resource(pods).updateStatus({ ...pod, status }, {})
      } catch (error) {
        if (isStatus(error, 'Conflict')) return undefined
        if (!isStatus(error, 'NotFound')) throw error
        return { ...pod, status }
      }
    },
    async remove(pod) {
      try {
        await client.resource(pods).delete(pod, { gracePeriodSeconds: 0 })
      } catch (error) {
        if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) throw error
      }
    },
    forget: async () => {},
    tellEvent: (object, facts) => recorder.record(client, object, facts),
  }
}

/** Tells nothing: what an agent without a server does. */
export const silentSink: PodSink = {
  tellStatus: async (pod, status) => ({ ...pod, status }),
  remove: async () => {},
  forget: async () => {},
  tellEvent: () => {},
}
