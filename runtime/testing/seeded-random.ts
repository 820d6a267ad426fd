export { seededRandom } from '../kernel/values/seeded-random.ts'
