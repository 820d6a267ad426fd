export { seededRandom } from '../kernel/async/seeded-random.ts'
