// Verdicts that rest on a warm worker's word until its whole state has been looked at.
#include "store/base/connection.h"
#include "store/base/rows.h"

namespace parityd::store {
namespace {

void forget_settled(Connection& connection, Id program) {
  connection.run("forget a word that nothing rests on",
                 "DELETE FROM trust WHERE program = ? AND unsettled = 0 AND again = 0", program);
}

}  // namespace

void Store::note_unsettled(Id program) {
  state_->run("note whose word a verdict rests on",
              "INSERT INTO trust (program, unsettled, again) VALUES (?, 1, 0) "
              "ON CONFLICT (program) DO UPDATE SET unsettled = unsettled + 1",
              program);
}

void Store::settle(Id program) {
  state_->run("note that a word holds", "UPDATE trust SET unsettled = max(0, unsettled - 1) WHERE program = ?",
              program);
  forget_settled(*state_, program);
}

void Store::unsettle(Id program) {
  state_->run("note that a word does not hold", "UPDATE trust SET unsettled = 0 WHERE program = ?", program);
  forget_settled(*state_, program);
}

int Store::note_again(Id program, bool counts) {
  state_->run("note a program that is judged again",
              "INSERT INTO trust (program, unsettled, again) VALUES (?1, 0, 1) "
              "ON CONFLICT (program) DO UPDATE SET unsettled = 0, again = max(again + ?2, 1)",
              program, counts);
  return times_judged_again(program);
}

int Store::times_judged_again(Id program) const {
  Rows rows = state_->query("read whose word a verdict rests on", "SELECT again FROM trust WHERE program = ?", program);
  int times = 0;
  if (rows.next()) rows.read(times);
  return times;
}

std::vector<Id> Store::unsettled() const {
  return ids_from(state_->query("read whose word verdicts rest on",
                                "SELECT program FROM trust WHERE unsettled > 0 ORDER BY program"));
}

std::vector<Id> Store::queued_again() const {
  return ids_from(state_->query("list programs that are judged again",
                                "SELECT t.program FROM trust t JOIN programs p ON p.id = t.program "
                                "WHERE t.again > 0 AND p.state = 'queued' ORDER BY t.program"));
}

}  // namespace parityd::store
