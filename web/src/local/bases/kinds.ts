// Features of a map by the name of their basis, strongest first.
import { LIMITS } from "../../limits";
import { norm, rowsOf, transposed } from "../algebra/dense";
import { Work } from "../work";
import { factorise, startOf } from "./nmf";
import { leadingTriplets } from "./svd";

/** Features and components of a map, one row for each of K features: M is about the sum of their outer products. */
interface Basis {
  features: Float64Array[];
  components: Float64Array[];
  /** Whether the features are the only ones of their kind. */
  unique: boolean;
}

/** Returns the strongest `n` features of a map. */
export async function strongestFeatures(map: Float64Array, nStates: number, kind: string, n: number, work: Work): Promise<Omit<Basis, "components">> {
  const { features, components, unique } = await basisOf(map, nStates, kind, Math.min(n, nStates), work);
  // As 32-bit numbers, so that rounding does not decide between equal strengths.
  const strength = Float32Array.from(features, (feature, k) => norm(feature) * norm(components[k]));
  const order = Array.from(strength.keys()).sort((one, other) => strength[other] - strength[one] || one - other);
  return { features: order.slice(0, n).map((k) => features[k]), unique };
}

async function basisOf(map: Float64Array, n: number, kind: string, wanted: number, work: Work): Promise<Basis> {
  const unit = () => rowsOf(Float64Array.from({ length: n * n }, (_, i) => +(i % (n + 1) === 0)), n);
  if (kind === "rows") return { features: rowsOf(transposed(map, n, n), n), components: unit(), unique: true };
  if (kind === "onehot") return { features: unit(), components: rowsOf(map, n), unique: true };
  const { triplets, unique } = await leadingTriplets(map, n, wanted, work);
  if (kind === "svd") {
    return { features: triplets.map(({ s, u }) => u.map((entry) => s * entry)), components: triplets.map(({ v }) => v), unique };
  }
  const factors = startOf(map, n, triplets);
  await factorise(map, n, factors, LIMITS.NMF_ITERATIONS, work);
  return { features: rowsOf(factors.Wt, n), components: rowsOf(factors.H, n), unique };
}
