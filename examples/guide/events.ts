import { defineController, done, terminal } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'

/** Orders what a menu needs, and tells those who look at the menu what became of it. */
export const orderController = defineController({
  name: 'orders',
  for: configMaps,
  async reconcile({ data = {} }, { event }) {
    const courses = Object.keys(data)
    if (courses.length === 0) {
      const message = 'Nothing is on the menu: nothing was ordered.'
      event({ type: 'Warning', reason: 'EmptyMenu', action: 'Order', message })
      return terminal('the menu is empty')
    }
    const message = `Ordered what ${courses.join(' and ')} need.`
    event({ type: 'Normal', reason: 'Ordered', action: 'Order', message })
    return done
  },
})
