// What a function that answers one kind of request looks like.
import { Replies } from "../schema";
import { Do } from "../wire";
import { Unpacked } from "./numbers";
import { FilledRequest } from "./request";
import { Work } from "./work";

/** Computes the reply to one kind of request, which was checked and has nothing left out. */
export type Answer<D extends Do> = (fields: FilledRequest<D>, work: Work) => Unpacked<Replies[D]> | Promise<Unpacked<Replies[D]>>;
