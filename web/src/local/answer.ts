// What a function that answers one kind of request looks like.
import { Replies, Requests } from "../schema";
import { Do } from "../wire";
import { Unpacked } from "./numbers";
import { Work } from "./work";

/** Computes the reply to one kind of request. */
export type Answer<D extends Do> = (fields: Requests[D], work: Work) => Unpacked<Replies[D]> | Promise<Unpacked<Replies[D]>>;
