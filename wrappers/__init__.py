"""Changes of view: one learner's seat, other faces, other rewards, another channel, a record.

Around a PettingZoo environment of this package: `face.TextObservation`, `face.DiscreteActions`,
`objective.ObjectiveReward`, `message_channel.MessageChannel`, `recording.RecordMatch`. For Gymnasium:
`single_agent.SingleAgentEnv`.
"""
