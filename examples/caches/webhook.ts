import { defineWebhook } from 'orch'
import { caches } from './generated/apis/caches/v1/cache.ts'

/** Says whose cache it is. */
export const ownerAnnotation = 'caches.example.com/owner'

/**
 * What a server asks before it stores a cache, whichever version its author writes: it gets the name of its owner, loses one server
 * at a time, and is told if its memory has no limit.
 */
export const cacheWebhook = defineWebhook({
  name: 'caches.caches.example.com',
  for: caches,

  mutate(draft, { operation, userInfo }) {
    if (operation !== 'CREATE') return
    draft.metadata.annotations = {
      ...draft.metadata.annotations,
      [ownerAnnotation]: userInfo.username ?? '',
    }
  },

  validate({ spec }, { oldObject, refuse, warn }) {
    const before = oldObject?.spec.servers ?? 0
    if (spec.servers < before - 1) {
      refuse('spec.servers', `each server takes its keys with it: go to ${before - 1} first`)
    }
    if (spec.limits?.memory === undefined)
      warn('spec.limits.memory: the cache may grow without end')
  },
})
